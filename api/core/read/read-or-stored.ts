import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { Reader, Reading, ReadOptions, ReadResult } from "#crawler"
import type { Page, PageUrl } from "#engine"

import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { lastCheck, type VisitKnowledge } from "./last-check.ts"
import { skippedAsEmpty } from "./failure-text.ts"
import { type AddressKnowledge, findPage } from "./find-page.ts"

/** A page that was just read, or one from the index. */
export type Material =
  | { readonly kind: "read"; readonly reading: Reading }
  | { readonly kind: "stored"; readonly page: Page; readonly checkedAt: Date }

type Unread = Exclude<ReadResult, { kind: "read" }>

export interface Obtained {
  /** The page; null if there is none. */
  readonly material: Material | null
  /** Why the page could not be read; null if it was read, if it didn't have to be, or if there was no time for it. */
  readonly unread: Unread | null
}

export interface ObtainParts {
  readonly reach: Pick<Reach, "page" | "limits">
  readonly reader: Pick<Reader, "read">
  readonly knowledge: AddressKnowledge & VisitKnowledge
}

/**
 * Returns a page: from the index if that version is new enough, otherwise read now, or, if it cannot be read, from the
 * index whatever its age. A crawl may have read pages behind a login, on a network that live calls must not reach, or
 * on a site that is down.
 * @param maxAgeMs maximum age of the indexed page for it to be returned without reading; 0 to always read
 * @param isOfIndex whether the indexed page may be returned
 */
export async function readOrStored(
  url: PageUrl,
  options: ReadOptions & { readonly signal: AbortSignal },
  { maxAgeMs, isOfIndex }: { readonly maxAgeMs: number; readonly isOfIndex: boolean },
  parts: ObtainParts,
): Promise<Obtained> {
  const stored = async (): Promise<Extract<Material, { kind: "stored" }> | null> => {
    const page = isOfIndex ? await findPage(url, { ...parts, signal: options.signal }) : null
    return page && { kind: "stored", page, checkedAt: await lastCheck(page, parts.knowledge) }
  }
  if (maxAgeMs > 0) {
    const held = await stored()
    if (held !== null && Math.abs(Date.now() - held.checkedAt.getTime()) <= maxAgeMs)
      return { material: held, unread: null }
  }
  const result = await unlessAborted(parts.reader.read(url, options), options.signal)
  if (result === null) return { material: null, unread: null }
  if (result.kind !== "read") return { material: await stored(), unread: result }
  const empty = skippedAsEmpty(result.reading)
  if (empty === null) return { material: { kind: "read", reading: result.reading }, unread: null }
  return { material: await stored(), unread: empty }
}
