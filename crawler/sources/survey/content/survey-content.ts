import { posix } from "node:path"
import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import type { RecognizedStart } from "../../../fetch/content/content.ts"
import { HANDBOOK_SOURCE } from "../../../handbook-source.ts"
import { openSourceReader } from "../../../fetch/visit/source-reader.ts"
import { type Tried, tryPage } from "../../../reporting/why/try/try-page.ts"
import type { CrawlerConfig } from "../../../settings.ts"
import { defineSource, type SourceSpec } from "../../../source.ts"
import { PAGES_SHOWN } from "../survey.ts"

export interface ContentSurveyOptions {
  readonly db: StateStore
  readonly config: CrawlerConfig
  /** The base address for pages without an address of their own; ends with `/`. */
  readonly filesAt: string
  /** Names of other sources. */
  readonly taken: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** The results of examining a folder or other content, with the proposed source. */
export interface ContentSurvey {
  readonly place: string
  /** The singular noun for the counted items: `file`. */
  readonly noun: string
  readonly source: SourceSpec & { readonly name: string }
  /** How many items there are, and their total size if the listing includes it. */
  readonly count: number
  readonly bytes: number
  /** The number of items for each file extension in their addresses, such as `.md`, most frequent first; empty for no extension. */
  readonly endings: readonly (readonly [ending: string, count: number])[]
  /** How many items are larger than `FOSSICK_MAX_PAGE_BYTES` and are not read. */
  readonly tooLarge: number
  /** Descriptions of the parts that couldn't be listed. */
  readonly troubles: readonly string[]
  /** Some pages as they would be indexed. */
  readonly pages: readonly Tried[]
}

/** The number of pages from which the sample is taken. */
const LOOKED_AT = 1000

/**
 * Lists content, reads some of it, and proposes a source. Indexes no pages. Copies of content from other machines, and
 * the index of a mailbox, are kept for the first run.
 * @throws KnownError when the content cannot be read
 */
export async function surveyContent(
  start: RecognizedStart,
  options: ContentSurveyOptions,
): Promise<ContentSurvey> {
  const { db, config, filesAt, taken, signal } = options
  const name = freeName(start.name, taken)
  const shown = start.address ?? `${filesAt}${encodeURIComponent(name)}/`
  const spec = {
    name,
    ...start.fields,
    seeds: start.addresses ?? [shown],
    ...(start.schedule && { schedule: start.schedule }),
  }
  const source = defineSource(spec)
  await using reader = await openSourceReader(source, config, { db, author: "operator", first: "unkept" })
  const content = reader.content!
  const endings = new Map<string, number>()
  const some: PageUrl[] = []
  const troubles: string[] = []
  let count = 0
  let bytes = 0
  let tooLarge = 0
  const onTrouble = (note: string) => Promise.resolve(void troubles.push(note))
  for await (const entries of content.list({ signal, onTrouble })) {
    count += entries.length
    for (const { url, bytes: size = 0 } of entries) {
      bytes += size
      if (size > config.maxBytes) tooLarge += 1
      const ending = posix.extname(new URL(url).pathname).toLowerCase()
      endings.set(ending, (endings.get(ending) ?? 0) + 1)
      if (some.length < LOOKED_AT) some.push(url)
    }
  }
  const pages: Tried[] = []
  const step = Math.max(1, Math.floor(some.length / PAGES_SHOWN))
  for (let at = 0; at < some.length && pages.length < PAGES_SHOWN && !signal.aborted; at += step)
    pages.push(await tryPage(some[at]!, { source, reader, config, lookUp: async () => null, signal }))
  return {
    place: content.place,
    noun: content.noun,
    source: spec,
    count,
    bytes,
    endings: [...endings].sort((a, b) => b[1] - a[1]),
    tooLarge,
    troubles,
    pages,
  }
}

/** The name of a source, derived from its start. */
function freeName(text: string, taken: ReadonlySet<string>): string {
  const name = text.replaceAll(/[^\p{L}\p{N} ._:@-]+|^[ ._:@-]+|[ ._:@-]+$/gu, "").slice(0, 90) || "content"
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!taken.has(free) && free !== HANDBOOK_SOURCE) return free
  }
}
