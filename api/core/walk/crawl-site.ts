import { leaveOut } from "#base/flow/degraded.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Extracted } from "#crawler"
import type { PageImage } from "#engine"

import { textAddressesModels } from "../read/addresses-models.ts"
import { skippedAsEmpty } from "../read/failure-text.ts"
import { pageText, type TextAsked } from "../read/page-text.ts"
import { fitting } from "./relevant-pages.ts"
import { type Site, walk, type Walking } from "./walk.ts"

/** A page of a crawl with its text. */
export interface CrawledPage {
  readonly url: string
  readonly text: string
  /** Empty if images are not requested. */
  readonly images: readonly PageImage[]
  readonly favicon: string | null
  readonly addressesModels: boolean
}

/**
 * The pages of a site with their text: all in the order in which they were found, or only those that fit the
 * instructions, best first.
 * @throws as {@link walk} does
 */
export async function crawlSite(
  site: Site,
  { format, passages, withImages, ...walking }: Omit<Walking, "discoverOnly"> & TextAsked,
): Promise<readonly CrawledPage[]> {
  const { memory, relevance, signal } = walking
  // Pages are judged while others are still being read, so that little work remains at the deadline.
  const pending: Promise<(CrawledPage & { relevance: number }) | null>[] = []
  await walk(site, { ...walking, discoverOnly: false }, ({ url, result }) => {
    if (result?.kind !== "read" || skippedAsEmpty(result.reading) !== null) return
    const { extracted } = result.reading
    const page = crawled(url, extracted, { format, passages, withImages, relevance, signal }).then(
      (made) => {
        memory.keep(extracted, made.text.length)
        return made
      },
      (error: unknown) => {
        // A page too large to finish in time, or one that cannot be processed, is left out.
        if (!signal.aborted && !(error instanceof WorkError)) throw error
        leaveOut("pages")
        return null
      },
    )
    // The error is handled below; without this, a failure during the walk would count as unhandled.
    page.catch(() => {})
    pending.push(page)
  })
  const read = (await Promise.all(pending)).filter((page) => page !== null)
  return relevance === null ? read : fitting(read)
}

async function crawled(url: string, extracted: Extracted, asked: TextAsked) {
  const { text, relevance } = await pageText(extracted, asked)
  const images = asked.withImages ? extracted.images : []
  const addressesModels = await textAddressesModels(text, asked.signal)
  return { url, text, images, favicon: extracted.favicon, addressesModels, relevance }
}
