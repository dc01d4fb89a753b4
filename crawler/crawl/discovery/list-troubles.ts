import type { PageUrl } from "#engine"
import { concealedEnd } from "../../fetch/concealed.ts"
import type { FetchResult } from "../../fetch/fetch.ts"
import { type Job, listNote, moreListsNote } from "../../job.ts"
import { outcomeName } from "../../outcome-name.ts"
import type { ListingKind } from "../frontier/frontier-schema.ts"
import type { ListTrouble } from "../listings/list-parser.ts"

/** Maximum number of lists named in notes: more would hide the run's other notes. */
const MAX_NAMED = 5

const WORDS: Readonly<Record<ListTrouble, string>> = {
  "cut-off": "is cut off: only its complete entries were read",
  "too-long": "lists more than 50,000 addresses: only the first 50,000 were read",
  "web-page": "is a web page and lists no addresses",
  "no-list": "lists no addresses",
  damaged: "is a damaged gzip file, or too large when unpacked",
}

const BUSY = "the site asked to come back later"

/** A sitemap, feed or llms.txt that a run reads. */
export interface RunList {
  readonly url: PageUrl
  readonly kind: ListingKind
  /** Whether the source, robots.txt or another list names it; otherwise its address is only a guess. */
  readonly isNamed: boolean
}

/** Writes notes on a run's sitemaps and feeds that could not be read in full. */
export class ListTroubles {
  readonly #job: Pick<Job, "author">
  readonly #tell: (note: string) => Promise<void>
  #count = 0

  constructor(job: Pick<Job, "author">, tell: (note: string) => Promise<void>) {
    this.#job = job
    this.#tell = tell
  }

  /** Called when a file could not be fetched. */
  async failed(
    list: RunList,
    result: Exclude<FetchResult, { kind: "fetched" | "not-modified" }>,
  ): Promise<void> {
    if (!list.isNamed || (result.kind === "failed" && result.because === "cancelled")) return
    const said = result.kind === "postponed" ? BUSY : (result.detail ?? null)
    const end = { outcome: outcomeName(result), detail: said }
    const { outcome, detail } = this.#job.author === "api" ? concealedEnd(end) : end
    await this.#note(list, `could not be read: ${(detail ?? outcome).replaceAll(";", ",")}`)
  }

  /** Called when a file was fetched, but something is wrong with it. */
  async found(list: RunList, trouble: ListTrouble): Promise<void> {
    // Many sites answer every address with a page.
    if (list.isNamed || !(trouble === "web-page" || trouble === "no-list"))
      await this.#note(list, WORDS[trouble])
  }

  /** Called when no more lists are read. */
  async end(): Promise<void> {
    if (this.#count > MAX_NAMED) await this.#tell(moreListsNote(this.#count - MAX_NAMED))
  }

  async #note({ url, kind }: RunList, what: string): Promise<void> {
    this.#count += 1
    if (this.#count <= MAX_NAMED) await this.#tell(listNote(kind === "llms" ? "list" : kind, url, what))
  }
}
