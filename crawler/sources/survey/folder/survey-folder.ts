import { basename, extname } from "node:path"
import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import { folderOf } from "../../../fetch/content/folder/folder-content.ts"
import { walk } from "../../../fetch/content/folder/walk.ts"
import { HANDBOOK_SOURCE } from "../../../handbook-source.ts"
import { openSourceReader } from "../../../fetch/visit/source-reader.ts"
import { type Tried, tryPage } from "../../../reporting/why/try/try-page.ts"
import type { CrawlerConfig } from "../../../settings.ts"
import { defineSource, type SourceSpec } from "../../../source.ts"
import { PAGES_SHOWN } from "../survey.ts"

export interface FolderSurveyOptions {
  readonly db: StateStore
  readonly config: CrawlerConfig
  /** Below which folders get addresses unless a source says otherwise; ends with `/`. */
  readonly filesAt: string
  /** Names that other sources have. */
  readonly taken: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** What one look at a folder found, and the source that it proposes. */
export interface FolderSurvey {
  readonly folder: string
  readonly source: SourceSpec & { readonly name: string }
  readonly files: number
  readonly bytes: number
  /** How many files have each ending, the most frequent first: `.md`; empty: no ending. */
  readonly endings: readonly (readonly [ending: string, files: number])[]
  /** Files larger than `FOSSICK_MAX_PAGE_BYTES`, which are not read. */
  readonly tooLarge: number
  /** What could not be listed, in words. */
  readonly troubles: readonly string[]
  /** Some files as they would be indexed. */
  readonly pages: readonly Tried[]
}

/** Files among which those to read are chosen. */
const LOOKED_AT = 1000

/**
 * Looks through a folder, reads some of its files, and proposes a source. Indexes nothing and keeps nothing.
 * @throws KnownError when the folder cannot be read
 */
export async function surveyFolder(folder: string, options: FolderSurveyOptions): Promise<FolderSurvey> {
  const { db, config, filesAt, taken, signal } = options
  const name = freeName(basename(folder), taken)
  const spec = { name, folder, seeds: [`${filesAt}${encodeURIComponent(name)}/`] }
  const source = defineSource(spec)
  await using reader = await openSourceReader(source, config, { db, author: "operator", first: "unkept" })
  const content = folderOf(source)!
  const endings = new Map<string, number>()
  const some: PageUrl[] = []
  const troubles: string[] = []
  let files = 0
  let bytes = 0
  let tooLarge = 0
  for await (const walked of walk(folder)) {
    if (signal.aborted) break
    troubles.push(...walked.troubles)
    for (const { path, stats } of walked.files) {
      files += 1
      bytes += stats.size
      if (stats.size > config.maxBytes) tooLarge += 1
      const ending = extname(path.at(-1)!).toLowerCase()
      endings.set(ending, (endings.get(ending) ?? 0) + 1)
      const url = some.length < LOOKED_AT ? content.addressOf(path) : null
      if (url !== null) some.push(url)
    }
  }
  const pages: Tried[] = []
  const step = Math.max(1, Math.floor(some.length / PAGES_SHOWN))
  for (let at = 0; at < some.length && pages.length < PAGES_SHOWN && !signal.aborted; at += step)
    pages.push(await tryPage(some[at]!, { source, reader, config, lookUp: async () => null, signal }))
  return {
    folder,
    source: spec,
    files,
    bytes,
    endings: [...endings].sort((a, b) => b[1] - a[1]),
    tooLarge,
    troubles,
    pages,
  }
}

/** The name of a source after its folder. */
function freeName(text: string, taken: ReadonlySet<string>): string {
  const name = text.replaceAll(/[^\p{L}\p{N} ._:@-]+|^[ ._:@-]+|[ ._:@-]+$/gu, "").slice(0, 90) || "folder"
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!taken.has(free) && free !== HANDBOOK_SOURCE) return free
  }
}
