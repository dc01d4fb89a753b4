import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import type { OutcomeName } from "../../../outcome-name.ts"
import { unpackLinks } from "../page-links.ts"

/** Addresses of a source that ended in the same way. */
export interface KeptOutCount {
  readonly outcome: OutcomeName
  /** Of answers that were errors. */
  readonly status: number | null
  readonly count: number
}

/**
 * How many addresses of a source are no pages of the index, by how their last visit ended. Addresses that only an
 * llms.txt names and the site does not have are left out.
 */
export async function keptOutCounts(db: StateStore, source: string): Promise<KeptOutCount[]> {
  return (
    await db
      .prepare(
        `select outcome, status, count(*) as n from known_address where source = ? and hash is null
         and not (found_how = 'llms' and coalesce(status, 0) in (404, 410))
       group by outcome, status`,
      )
      .all(source)
  ).map((row) => ({
    outcome: row["outcome"] as OutcomeName,
    status: row["status"] as number | null,
    count: Number(row["n"]),
  }))
}

/** An address of which the index holds no page. */
export interface KeptOutPage {
  readonly url: PageUrl
  /** Of the page while the index held it; null when it never did. */
  readonly title: string | null
}

/** Addresses of sources that are no pages of the index, at most so many. */
export async function* keptOutPages(
  db: StateStore,
  sources: readonly string[],
  limit: number,
): AsyncGenerator<KeptOutPage> {
  const rows = db
    .prepare(
      `select url, title from known_address where source in (select value from json_each(?)) and hash is null limit ?`,
    )
    .iterate(JSON.stringify(sources), limit)
  for await (const row of rows) yield { url: row["url"] as PageUrl, title: row["title"] as string | null }
}

/** Addresses that pages of sources lead to and no source knows: links of the pages nearest to the seeds, of at most so many. */
export async function* unvisitedLinks(
  db: StateStore,
  sources: readonly string[],
  pages: number,
): AsyncGenerator<PageUrl> {
  const rows = db
    .prepare(
      `select url, links from known_address join page_links using (url, source)
       where source in (select value from json_each(?)) order by depth limit ?`,
    )
    .iterate(JSON.stringify(sources), pages)
  const knownBy = db.prepare("select source from known_address where url = ?")
  const own = new Set(sources)
  const isKnown = async (link: string) =>
    (await knownBy.all(link)).some((known) => own.has(known["source"] as string))
  const seen = new Set<string>()
  for await (const row of rows) {
    for (const link of unpackLinks(row["url"] as PageUrl, row["links"] as Uint8Array)) {
      if (seen.has(link)) continue
      seen.add(link)
      if (!(await isKnown(link))) yield link as PageUrl
    }
  }
}

/** When the page of a source that was looked at longest ago was; null: it has none. Milliseconds since 1970. */
export async function oldestLook(db: StateStore, source: string): Promise<number | null> {
  const row = await db
    .prepare("select min(visited_at) as at from known_address where source = ? and hash is not null")
    .get(source)
  return row?.["at"] as number | null
}

/**
 * Whether pages of a source that lie as deep as it goes lead on to addresses of its own that it does not know. Looks through
 * `most` such pages; null: there are more, and none of these did.
 */
export async function leadsDeeper(
  db: StateStore,
  source: string,
  depth: number,
  isMember: (url: PageUrl) => boolean,
  most: number,
): Promise<boolean | null> {
  const rows = await db
    .prepare(
      `select url, links from known_address left join page_links using (url, source)
       where source = ? and depth >= ? and hash is not null limit ?`,
    )
    .all(source, depth, most + 1)
  const isKnown = db.prepare("select 1 from known_address where url = ? and source = ?")
  for (const row of rows.slice(0, most)) {
    // Whose links are not kept may lead anywhere.
    if (row["links"] === null) return true
    for (const link of unpackLinks(row["url"] as PageUrl, row["links"] as Uint8Array)) {
      if (isMember(link as PageUrl) && (await isKnown.get(link, source)) === undefined) return true
    }
  }
  return rows.length > most ? null : false
}
