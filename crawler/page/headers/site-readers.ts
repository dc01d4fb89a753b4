import { hash } from "node:crypto"
import { NOBODY, narrowedBy, principalOf, type Readers } from "#engine/index/page/readers.ts"

/** The header in which a site names the readers of a page. */
export const READERS_HEADER = "x-fossick-readers"
/** The name of the equivalent meta tag. */
export const READERS_TAG = "fossick-readers"

/** The readers of a page, as declared by its site. */
export interface SaidReaders {
  /** Null if the site names no readers. */
  readonly readers: Readers | null
  /** Why the declaration of readers couldn't be parsed, for the operator; null if it could. */
  readonly problem: string | null
}

/**
 * Parses the headers and tags in which a site names the readers of a page: `allow=group:hr, user:anna@example.com;
 * deny=group:interns`. A person may read the page only if all of them allow it. If one of them can't be parsed, nobody
 * may.
 */
export function siteReaders(texts: readonly string[]): SaidReaders {
  let readers: Readers | null = null
  let problem: string | null = null
  for (const text of texts) {
    const read = readOne(text)
    if (read === null) problem ??= `nobody may read it, because its readers are invalid: ${shown(text)}`
    readers = readers === null ? (read ?? NOBODY) : narrowedBy(readers, read ?? NOBODY)
  }
  return { readers, problem }
}

/** The values of the header, decoded as UTF-8: Node decodes every byte as one character. */
export function readersHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const values = headers[READERS_HEADER]
  return [values ?? []].flat().map((value) => Buffer.from(value, "latin1").toString("utf8"))
}

/** A digest of the headers that name readers; it differs if the headers differ. */
export const readersDigest = (sent: readonly string[]): string =>
  hash("sha256", JSON.stringify(sent), "base64url").slice(0, 16)

/** Headers and tags longer than this are rejected. */
const MOST_CHARS = 16_000

function readOne(text: string): Readers | null {
  if (text.length > MOST_CHARS) return null
  let allow: readonly (readonly string[])[] = []
  let deny: readonly string[] = []
  const fields = new Set<string>()
  for (const part of text.split(";")) {
    const [, field, list] = /^\s*(allow|deny)\s*=(.*)$/is.exec(part) ?? []
    if (field === undefined || list === undefined || fields.has(field.toLowerCase())) return null
    fields.add(field.toLowerCase())
    const principals = list.trim() === "" ? [] : list.split(",").map(principalOf)
    if (!principals.every((one) => one !== null)) return null
    if (field.toLowerCase() === "allow") allow = [principals]
    else deny = principals
  }
  return { allow, deny }
}

const MOST_SHOWN = 100

const shown = (text: string): string => JSON.stringify(text.slice(0, MOST_SHOWN))
