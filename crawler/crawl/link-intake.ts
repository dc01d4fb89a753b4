import { type PageUrl, toPageUrl } from "#engine"
import type { Discovery } from "./discovery/discovery.ts"
import type { Duplicates } from "./duplicates/duplicates.ts"
import type { Frontier } from "./frontier/frontier.ts"
import type { FrontierEntry } from "./frontier/host-queues.ts"
import type { Job } from "../job.ts"
import type { Reading } from "../reading.ts"
import type { RunTraps } from "./traps/run-traps.ts"

export interface LinkIntakeOptions {
  readonly job: Pick<Job, "source" | "visits">
  /** Whether nofollow is obeyed. */
  readonly obeys: boolean
  readonly frontier: Pick<Frontier, "add" | "remembers">
  readonly discovery: Pick<Discovery, "inScope">
  readonly duplicates: Pick<Duplicates, "instead">
  readonly traps: Pick<RunTraps, "holding" | "isPlain">
}

/** Adds to the frontier the addresses that pages name: links, and other addresses of the page itself. */
export class LinkIntake {
  readonly #options: LinkIntakeOptions

  constructor(options: LinkIntakeOptions) {
    this.#options = options
  }

  /** The links of a page that we are allowed to follow. */
  followed({ extracted: { links, robots } }: Reading): string[] {
    const { obeys } = this.#options
    if (obeys && robots.nofollow) return []
    return links.flatMap((link) => (obeys && link.nofollow ? [] : link.url))
  }

  /**
   * Adds the links of a page that was found at `depth`.
   * @returns how many of them lead to addresses that weren't known yet and are worth a visit of their own.
   */
  async add(depth: number, page: PageUrl, links: readonly string[]): Promise<number> {
    const { job, frontier, discovery, duplicates, traps } = this.#options
    if (depth >= job.source.limits.depth) return 0
    const spelled: PageUrl[] = []
    for (const link of links) {
      if (frontier.remembers(link)) continue
      const linked = toPageUrl(link)
      if (linked === null || !discovery.inScope(linked)) continue
      spelled.push((await duplicates.instead(linked))?.url ?? linked)
    }
    // The links are added without an await in between, so that if two pages have the same links, only one of the pages
    // counts them.
    let leads = 0
    const found = new Set<PageUrl>()
    for (const url of spelled) {
      if (found.has(url) || frontier.remembers(url) || traps.holding(url)) continue
      found.add(url)
      if (traps.isPlain(url)) leads += 1
    }
    const onlyDue = job.visits !== "all"
    await frontier.add([...found], { how: "link", on: page, depth: depth + 1, onlyDue })
    return leads
  }

  /** Adds addresses to request early, because the responses provide information about the page that saves many visits. */
  async probe(entry: Pick<FrontierEntry, "depth">, page: PageUrl, probes: readonly PageUrl[]): Promise<void> {
    const { frontier, discovery } = this.#options
    await frontier.add(
      probes.filter((probe) => discovery.inScope(probe)),
      { how: "link", on: page, depth: Math.min(1, entry.depth) },
    )
  }

  /**
   * The canonical address that a page names, if it belongs to the source; it is visited too. Copies of documentation
   * name the original as canonical, and a crawl that never reaches the original must not end without pages.
   */
  async canonicalOf(entry: FrontierEntry, { url, extracted }: Reading): Promise<PageUrl | null> {
    const { job, frontier, discovery, duplicates } = this.#options
    const named = extracted.canonical === null ? null : toPageUrl(extracted.canonical)
    if (named === null || named === entry.url || !discovery.inScope(named)) {
      return named === url ? url : null
    }
    const canonical = (await duplicates.instead(named))?.url ?? named
    if (canonical !== url && job.source.limits.depth > 0) {
      await frontier.add([canonical], { how: "canonical", on: url, depth: entry.depth })
    }
    return canonical
  }
}
