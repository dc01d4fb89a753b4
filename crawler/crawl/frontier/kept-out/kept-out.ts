import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { FrontierTables } from "../frontier-schema.ts"
import type { OutcomeName } from "../../../outcome-name.ts"
import { unpackLinks, withLinks } from "../page-links.ts"

/** Addresses of a source that ended in the same way. */
export interface KeptOutCount {
  readonly outcome: OutcomeName
  /** The HTTP status, for answers that were errors. */
  readonly status: number | null
  readonly count: number
}

/**
 * How many addresses of a source are not pages in the index, by how their last visit ended. Addresses that only an
 * llms.txt names and that are missing from the site are left out.
 */
export async function keptOutCounts(db: StateStore, source: string): Promise<KeptOutCount[]> {
  return await queriesOf<FrontierTables>(db)
    .selectFrom("known_address")
    .select((eb) => ["outcome", "status", eb.fn.countAll<number>().as("count")])
    .where("source", "=", source)
    .where("hash", "is", null)
    .where((eb) =>
      eb.not(
        eb.and([eb("found_how", "=", "llms"), eb(eb.fn.coalesce("status", eb.lit(0)), "in", [404, 410])]),
      ),
    )
    .groupBy(["outcome", "status"])
    .execute()
}

/** An address for which the index holds no page. */
export interface KeptOutPage {
  readonly url: PageUrl
  /** The page's title when it was last in the index; `null` if it never was. */
  readonly title: string | null
}

/** Addresses of these sources for which the index holds no page, up to a limit. */
export async function* keptOutPages(
  db: StateStore,
  sources: readonly string[],
  limit: number,
): AsyncGenerator<KeptOutPage> {
  yield* queriesOf<FrontierTables>(db)
    .selectFrom("known_address")
    .select(["url", "title"])
    .where("source", "in", listed(sources))
    .where("hash", "is", null)
    .limit(limit)
    .stream()
}

const knownBy = once((q: Queries<FrontierTables>, { link }: { link: string }) =>
  q
    .selectFrom("known_address")
    .select("source")
    .where("url", "=", link as PageUrl),
)

/** Addresses that pages of sources link to but that no source knows: taken from the pages closest to the seeds, up to a limit. */
export async function* unvisitedLinks(
  db: StateStore,
  sources: readonly string[],
  pages: number,
): AsyncGenerator<PageUrl> {
  const rows = withLinks(queriesOf(db))
    .where("known_address.source", "in", listed(sources))
    .orderBy("depth")
    .limit(pages)
  const own = new Set(sources)
  const isKnown = async (link: string) =>
    (await knownBy.all(db, { link })).some(({ source }) => own.has(source))
  const seen = new Set<string>()
  for await (const { url, links } of rows.stream()) {
    for (const link of unpackLinks(url, links)) {
      if (seen.has(link)) continue
      seen.add(link)
      if (!(await isKnown(link))) yield link as PageUrl
    }
  }
}

/** When the least recently visited page of a source was visited, in milliseconds since 1970; `null` if the source has no pages. */
export async function oldestLook(db: StateStore, source: string): Promise<number | null> {
  const { at } = await queriesOf<FrontierTables>(db)
    .selectFrom("known_address")
    .select((eb) => eb.fn.min<number | null>("visited_at").as("at"))
    .where("source", "=", source)
    .where("hash", "is not", null)
    .executeTakeFirstOrThrow()
  return at
}

/**
 * Whether pages at a source's maximum depth link to addresses of the source that it does not know. Checks `most` such
 * pages; `null` if there are more, and none of the checked ones did.
 */
export async function leadsDeeper(
  db: StateStore,
  source: string,
  depth: number,
  isMember: (url: PageUrl) => boolean,
  most: number,
): Promise<boolean | null> {
  const rows = await queriesOf<FrontierTables>(db)
    .selectFrom("known_address")
    .leftJoin("page_links", (on) =>
      on
        .onRef("page_links.url", "=", "known_address.url")
        .onRef("page_links.source", "=", "known_address.source"),
    )
    .select(["known_address.url", "links"])
    .where("known_address.source", "=", source)
    .where("depth", ">=", depth)
    .where("hash", "is not", null)
    .limit(most + 1)
    .execute()
  for (const { url, links } of rows.slice(0, most)) {
    // A page whose links are not stored may lead anywhere.
    if (links === null) return true
    for (const link of unpackLinks(url, links)) {
      if (
        isMember(link as PageUrl) &&
        !(await knownBy.all(db, { link })).some((known) => known.source === source)
      )
        return true
    }
  }
  return rows.length > most ? null : false
}
