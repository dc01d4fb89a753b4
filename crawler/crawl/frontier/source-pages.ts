import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely"
import type { PageUrl } from "#engine"
import { hasTable } from "#base/store/rows/tables.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { SCHEMA_WORDS, type SchemaWords } from "#base/store/query/schema-words.ts"
import { inWordsOf, listed, listedIn } from "#base/store/query/words.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import type { QueriedStore } from "#base/store/state-port.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { CUT_OFF } from "../../outcome.ts"
import { type OutcomeName, PAGE_OUTCOMES, unreadSql } from "../../outcome-name.ts"
import type { FrontierTables } from "./frontier-schema.ts"
import type { KnownAddress } from "./known-addresses.ts"

// Queries about the addresses that sources know, in addition to `KnownAddresses`: over all pages of a source, and SQL
// conditions for queries that would take too long row by row.

const addresses = (q: Queries<FrontierTables>) => q.selectFrom("known_address")
const held = (q: Queries<FrontierTables>) => addresses(q).where("hash", "is not", null)
const heldFor = (db: QueriedStore, source: string) =>
  held(queriesOf<FrontierTables>(db)).where("source", "=", source)

/** Number of pages that the index contains for a source. */
export interface PageCounts {
  readonly pages: number
  /** Number of those pages that another source has as well. */
  readonly pagesShared: number
}

/** Counts the pages that the index holds for a source. */
export async function pageCount(db: StateStore, source: string): Promise<number> {
  const { n } = await heldFor(db, source)
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow()
  return n
}

const says = (words: string) => sql<SqlBool>`instr(detail, ${words}) > 0`

/** Pages of a source whose answers were {@link CUT_OFF} at the last visit, sorted by address; from all runs, or from one. */
export async function cutOffPages(
  db: QueriedStore,
  source: string,
  job: number | null = null,
): Promise<PageUrl[]> {
  const pages = await heldFor(db, source)
    .select("url")
    .where("detail", "is not", null)
    .where("outcome", "in", PAGE_OUTCOMES)
    .where(says(CUT_OFF))
    .$if(job !== null, (query) => query.where("job", "=", job!))
    .orderBy("url")
    .execute()
  return pages.map(({ url }) => url)
}

export async function pageCounts(db: StateStore, source: string): Promise<PageCounts> {
  return await queriesOf<FrontierTables>(db)
    .selectFrom("known_address as known")
    .select((eb) => [
      eb.fn.countAll<number>().as("pages"),
      eb.fn
        .countAll<number>()
        .filterWhere((one) =>
          one.exists(
            one
              .selectFrom("known_address as other")
              .select("other.url")
              .whereRef("other.url", "=", "known.url")
              .whereRef("other.source", "<>", "known.source")
              .where("other.hash", "is not", null),
          ),
        )
        .as("pagesShared"),
    ])
    .where("source", "=", source)
    .where("hash", "is not", null)
    .executeTakeFirstOrThrow()
}

/** The address of a page of a source whose last visit has these words in its detail, or `null`. */
export async function somePageSaying(db: StateStore, source: string, words: string): Promise<string | null> {
  const page = await heldFor(db, source).select("url").where(says(words)).limit(1).executeTakeFirst()
  return page?.url ?? null
}

/** Addresses of the pages that the index holds for a source. */
export async function pagesOf(db: StateStore, source: string): Promise<PageUrl[]> {
  return (await heldFor(db, source).select("url").execute()).map(({ url }) => url)
}

/** The first addresses, in sorted order, of pages that the index holds for a source. */
export async function firstPages(db: StateStore, source: string, limit: number): Promise<PageUrl[]> {
  if (!(await hasTable(db, "known_address"))) return []
  return (await heldFor(db, source).select("url").orderBy("url").limit(limit).execute()).map(({ url }) => url)
}

/** The addresses after `after`, in sorted order, of pages that the index holds for a source, up to `limit`. */
export async function heldAfter(
  db: StateStore,
  source: string,
  after: string,
  limit: number,
): Promise<PageUrl[]> {
  const rows = heldFor(db, source)
    .select("url")
    .where("url", ">", after as PageUrl)
    .orderBy("url")
  return (await rows.limit(limit).execute()).map(({ url }) => url)
}

/** Which of these pages the index holds for a source. */
export async function heldAmong(
  db: StateStore,
  source: string,
  urls: readonly PageUrl[],
): Promise<ReadonlySet<PageUrl>> {
  const rows = await heldFor(db, source).select("url").where("url", "in", listed(urls)).execute()
  return new Set(rows.map(({ url }) => url))
}

/** Whether the index holds a page for a source; also works for a store without any addresses. */
export const hasPages = async (db: StateStore, source: string): Promise<boolean> =>
  (await somePage(db, source)) !== null

/** The address of one page that the index holds for a source; `null` if it holds none, or if the store has no addresses at all. */
export async function somePage(db: StateStore, source: string): Promise<string | null> {
  if (!(await hasTable(db, "known_address"))) return null
  return (await heldFor(db, source).select("url").limit(1).executeTakeFirst())?.url ?? null
}

/** How many addresses a source knows, by `host:port`. */
export const addressesByHost = async (db: StateStore, source: string): Promise<ReadonlyMap<string, number>> =>
  countsOf(await knownByHost.all(db, { source }))

/** How many addresses of a source failed at the last visit, by `host:port`, except those that the site says are gone. */
export async function unreadByHost(db: StateStore, source: string): Promise<ReadonlyMap<string, number>> {
  if (!(await hasTable(db, "known_address"))) return new Map()
  return countsOf(await unreadOfHosts.all(db, { source }))
}

interface HostCount {
  readonly host: string
  readonly n: number
}

const countsOf = (rows: readonly HostCount[]) => new Map(rows.map(({ host, n }) => [host, n]))

// Addresses are counted in SQL, because the API runs this query too, and a source may know a million addresses. Every
// address has a path, and none has a user name.
const byHost = (q: Queries<FrontierTables>, source: string, condition: Expression<SqlBool>) =>
  q
    .selectFrom(
      addresses(q)
        .select(sql<string>`substr(url, instr(url, '://') + 3)`.as("rest"))
        .where("source", "=", source)
        .where(condition)
        .as("address"),
    )
    .select((eb) => [
      sql<string>`substr(rest, 1, instr(rest, '/') - 1)`.as("host"),
      eb.fn.countAll<number>().as("n"),
    ])
    .groupBy("host")

const isUnread = inWordsOf<SqlBool>({
  sqlite: sql.raw(unreadSql(SCHEMA_WORDS.sqlite.like)),
  postgres: sql.raw(unreadSql(SCHEMA_WORDS.postgres.like)),
})

const knownByHost = once((q: Queries<FrontierTables>, { source }: { source: string }) =>
  byHost(q, source, sql.lit(true)),
)

const unreadOfHosts = once((q: Queries<FrontierTables>, { source }: { source: string }) =>
  byHost(q, source, sql`${isUnread} and coalesce(status, 0) not in (404, 410)`),
)

/** Whether the index holds a page for any other source. */
export async function othersHavePages(db: StateStore, source: string): Promise<boolean> {
  if (!(await hasTable(db, "known_address"))) return false
  const page = await held(queriesOf<FrontierTables>(db))
    .select("url")
    .where("source", "<>", source)
    .limit(1)
    .executeTakeFirst()
  return page !== undefined
}

/** Whether a source knows any address. */
export async function knowsAny(db: StateStore, source: string): Promise<boolean> {
  const known = addresses(queriesOf(db)).select("url").where("source", "=", source).limit(1)
  return (await known.executeTakeFirst()) !== undefined
}

/** Whether the index holds the page at an address for some source whose last visit found it. */
export async function isPageNow(db: StateStore, url: PageUrl): Promise<boolean> {
  const page = await held(queriesOf<FrontierTables>(db))
    .select("url")
    .where("url", "=", url)
    .where("outcome", "in", PAGE_OUTCOMES)
    .executeTakeFirst()
  return page !== undefined
}

/** Where an address led at the last visit of any of these sources (`null` for all), by redirect or canonical. */
export async function whereItLed(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null,
): Promise<PageUrl[]> {
  const led = await addresses(queriesOf<FrontierTables>(db))
    .select("leads_to as to")
    .distinct()
    .where("url", "=", url)
    .where("leads_to", "is not", null)
    .$if(sources !== null, (query) => query.where("source", "in", listed(sources!)))
    .orderBy("leads_to")
    .$narrowType<{ to: PageUrl }>()
    .execute()
  return led.map(({ to }) => to)
}

/** When the visits of certain sources found a page. */
export interface PageVisits {
  /** The latest visit that found it, whether it had changed or not; `null` if no source's last visit found it. */
  readonly checkedAt: Date | null
  /** When its text was first seen as it is now; `null` if not known. */
  readonly changedAt: Date | null
}

const visitsOf = once((q: Queries<FrontierTables>, { url, sources }: { url: PageUrl; sources: string }) =>
  held(q)
    .select((eb) => [
      eb.fn.max<number | null>("visited_at").filterWhere("outcome", "in", PAGE_OUTCOMES).as("checked"),
      eb.fn.max<number | null>("changed_at").as("changed"),
    ])
    .where("url", "=", url)
    .where("source", "in", listedIn(sources)),
)

export async function pageVisits(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[],
): Promise<PageVisits> {
  const row = await visitsOf.get(db, { url, sources: JSON.stringify(sources) })
  return { checkedAt: dateOrNull(row!.checked), changedAt: dateOrNull(row!.changed) }
}

/** When a visit of the source last found a page that the index holds; `null` if never. */
export async function lastCheckOf(db: StateStore, source: string): Promise<Date | null> {
  const { last } = await heldFor(db, source)
    .select((eb) => eb.fn.max<number | null>("visited_at").as("last"))
    .where("outcome", "in", PAGE_OUTCOMES)
    .executeTakeFirstOrThrow()
  return dateOrNull(last)
}

/** Addresses at which a job found no page, grouped by kind. */
export interface Missed {
  readonly outcome: OutcomeName
  /** The HTTP status, for answers that were errors. */
  readonly status: number | null
  /** Whether the index holds the page. */
  readonly isHeld: boolean
  /** Whether only an llms.txt names the addresses. */
  readonly isOnlyListed: boolean
  /** Whether the previous visit found a page. */
  readonly isNew: boolean
  readonly count: number
}

/** How often, and in which ways, a job found no page. Addresses that a later run has visited no longer count. */
export async function missedBy(db: StateStore, job: number): Promise<Missed[]> {
  const rows = await addresses(queriesOf<FrontierTables>(db))
    .select((eb) => [
      "outcome",
      "status",
      eb("hash", "is not", null).as("isHeld"),
      eb.and([eb("misses", "=", sql.lit(1)), eb("first_seen", "<", eb.ref("visited_at"))]).as("isNew"),
      eb("found_how", "=", sql.lit("llms" as const)).as("isOnlyListed"),
      eb.fn.countAll<number>().as("count"),
    ])
    .where("job", "=", job)
    .where("outcome", "not in", PAGE_OUTCOMES)
    .groupBy(["outcome", "status", "isHeld", "isNew", "isOnlyListed"])
    .execute()
  return rows.map((row) => ({
    ...row,
    isHeld: Boolean(row.isHeld),
    isNew: Boolean(row.isNew),
    isOnlyListed: Boolean(row.isOnlyListed),
  }))
}

/** The targets of a source's addresses that lead elsewhere. */
export async function* targetsOf(db: StateStore, source: string): AsyncGenerator<string> {
  const rows = addresses(queriesOf<FrontierTables>(db))
    .select("leads_to as to")
    .where("source", "=", source)
    .where("leads_to", "is not", null)
    .$narrowType<{ to: PageUrl }>()
  for await (const { to } of rows.stream()) yield to
}

/** A page in the index that the last visit did not find. */
export type MissedPage = Pick<KnownAddress, "url" | "outcome" | "detail" | "status" | "leadsTo">

const missedAfter = once(
  (q: Queries<FrontierTables>, { job, after, limit }: { job: number; after: string; limit: number }) =>
    held(q)
      .select(["url", "outcome", "detail", "status", "leads_to as leadsTo"])
      .where("job", "=", job)
      .where("url", ">", after as PageUrl)
      .where("outcome", "not in", PAGE_OUTCOMES)
      .orderBy("url")
      .limit(limit),
)

/** Pages in the index that a job visited and did not find, sorted by address, one batch at a time. */
export async function missedPages(
  db: StateStore,
  job: number,
  after: string,
  limit: number,
): Promise<MissedPage[]> {
  return await missedAfter.all(db, { job, after, limit })
}

/**
 * Records for each source that the index holds its pages in `table` (`url, source, hash`), and no others. Pages that
 * differ become due and are read again. Runs in the caller's transaction. @returns how many differed.
 */
export async function matchPages(db: StateStore, table: string): Promise<number> {
  const pages = sql.table(table)
  const hash = sql<
    string | null
  >`(select hash from ${pages} as held where held.url = known_address.url and held.source = known_address.source)`
  const { numUpdatedRows } = await queriesOf<FrontierTables>(db)
    .updateTable("known_address")
    .set({ etag: null, last_modified: null, copy: null, due_at: 0, hash })
    .where("hash", "is distinct from", hash)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

// Conditions for queries on other tables, which name a page by its address and its source.

const expressions = expressionBuilder<FrontierTables>()
const known = (url: Expression<PageUrl>, source: Expression<string>) =>
  expressions
    .selectFrom("known_address as known")
    .select("known.url")
    .where("known.url", "=", url)
    .where("known.source", "=", source)
const heldPage = (url: Expression<PageUrl>, source: Expression<string>) =>
  known(url, source).where("known.hash", "is not", null)

/** Whether a source knows an address. */
export const isKnown = (url: Expression<PageUrl>, source: Expression<string>): Expression<SqlBool> =>
  expressions.exists(known(url, source))

/** Whether the index holds a page for a source. */
export const isHeld = (url: Expression<PageUrl>, source: Expression<string>): Expression<SqlBool> =>
  expressions.exists(heldPage(url, source))

/** Whether a job's visit found the page that the index holds at this address. */
export const wasFound = (
  url: Expression<PageUrl>,
  source: Expression<string>,
  job: number,
): Expression<SqlBool> =>
  expressions.exists(
    heldPage(url, source).where("known.job", "=", job).where("known.outcome", "in", PAGE_OUTCOMES),
  )

/** Whether the index holds a page that no later job has found. */
export const isUnfoundSince = (
  url: Expression<PageUrl>,
  source: Expression<string>,
  job: Expression<number>,
): Expression<SqlBool> =>
  expressions.exists(
    heldPage(url, source).where((of) =>
      of.or([of("known.outcome", "not in", PAGE_OUTCOMES), of("known.job", "<=", job)]),
    ),
  )

/**
 * SQL triggers that fire when a page is added to the index, changes in it, or is removed. `new` has the fields `job`,
 * `url`, `title`, `hash`, `changed_at`, `visited_at`. `note`: the statement to run for each.
 */
export function pageTriggers(
  { trigger }: SchemaWords,
  prefix: string,
  condition: string,
  note: (change: "new" | "changed" | "removed") => string,
): string {
  const when = (event: string, name: string, hash: string, change: "new" | "changed" | "removed") =>
    trigger({
      name: `${prefix}_${name}`,
      on: event,
      table: "known_address",
      when: `${hash} and ${condition}`,
      does: [note(change)],
    })
  const update = "update of hash"
  return [
    when("insert", "added", "new.hash is not null", "new"),
    when(update, "new", "old.hash is null and new.hash is not null", "new"),
    when(
      update,
      "changed",
      "old.hash is not null and new.hash is not null and old.hash <> new.hash",
      "changed",
    ),
    when(update, "removed", "old.hash is not null and new.hash is null", "removed"),
  ].join(";\n")
}

/**
 * Triggers like {@link pageTriggers}, which also fire when the index gives up a page because its source is forgotten.
 * `statement` gets the SQL of the address.
 */
export const pageOrSourceTriggers = (
  words: SchemaWords,
  prefix: string,
  condition: string,
  statement: (url: string) => string,
): string =>
  `${pageTriggers(words, prefix, condition, () => statement("new.url"))};
${words.trigger({
  name: `${prefix}_forgotten`,
  on: "delete",
  table: "known_address",
  when: `old.hash is not null and ${condition}`,
  does: [statement("old.url")],
})}`
