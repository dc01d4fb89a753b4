import type { PageUrl } from "#engine"
import { hasTable } from "#base/store/rows/tables.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { CUT_OFF } from "../../outcome.ts"
import { type OutcomeName, PAGE_OUTCOMES_SQL, UNREAD_SQL } from "../../outcome-name.ts"
import type { KnownAddress } from "./known-addresses.ts"

// What others ask of the addresses that sources know, beside `KnownAddresses`: about all pages of a source, and as
// conditions in SQL of their own, for what would take too long row by row.

/** How many pages the index holds for a source. */
export interface PageCounts {
  readonly pages: number
  /** Those of them that another source holds as well. */
  readonly pagesShared: number
}

/** Pages that the index holds for a source. */
export async function pageCount(db: StateStore, source: string): Promise<number> {
  const row = await db
    .prepare("select count(*) as n from known_address where source = ? and hash is not null")
    .get(source)
  return Number(row?.["n"])
}

/** Pages of a source whose answers were {@link CUT_OFF} at the last visit, by address; of all runs, or of one. */
export async function cutOffPages(
  db: Pick<StateStore, "prepare">,
  source: string,
  job: number | null = null,
): Promise<PageUrl[]> {
  return (
    await db
      .prepare(
        `select url from known_address where source = ?1 and hash is not null and detail is not null
       and outcome in (${PAGE_OUTCOMES_SQL}) and instr(detail, ?2) > 0 and (?3 is null or job = ?3) order by url`,
      )
      .all(source, CUT_OFF, job)
  ).map((row) => row["url"] as PageUrl)
}

export async function pageCounts(db: StateStore, source: string): Promise<PageCounts> {
  const row = await db
    .prepare(
      `select count(*) as pages, count(*) filter (where exists (select 1 from known_address as other
         where other.url = known.url and other.source <> known.source and other.hash is not null)) as shared
       from known_address as known where source = ? and hash is not null`,
    )
    .get(source)
  return { pages: Number(row?.["pages"]), pagesShared: Number(row?.["shared"]) }
}

/** The address of some page of a source whose last visit has these words in its detail; null: no page has. */
export async function somePageSaying(db: StateStore, source: string, words: string): Promise<string | null> {
  const row = await db
    .prepare(
      "select url from known_address where source = ? and hash is not null and instr(detail, ?) > 0 limit 1",
    )
    .get(source, words)
  return row === undefined ? null : String(row["url"])
}

/** Addresses of the pages that the index holds for a source. */
export async function pagesOf(db: StateStore, source: string): Promise<PageUrl[]> {
  return (
    await db.prepare("select url from known_address where source = ? and hash is not null").all(source)
  ).map(({ url }) => url as PageUrl)
}

/** Whether the index holds a page for a source; of a store that may hold no addresses at all. */
export const hasPages = async (db: StateStore, source: string): Promise<boolean> =>
  (await somePage(db, source)) !== null

/** The address of some page that the index holds for a source; null: it holds none, or the store no addresses at all. */
export async function somePage(db: StateStore, source: string): Promise<string | null> {
  if (!(await hasTable(db, "known_address"))) return null
  const row = await db
    .prepare("select url from known_address where source = ? and hash is not null limit 1")
    .get(source)
  return row === undefined ? null : String(row["url"])
}

/** How many addresses a source knows, by `host:port`. */
export const addressesByHost = (db: StateStore, source: string): Promise<ReadonlyMap<string, number>> =>
  countsByHost(db, source, "true")

/** How many addresses of a source failed at the last visit, by `host:port`, without those that the site says are gone. */
export async function unreadByHost(db: StateStore, source: string): Promise<ReadonlyMap<string, number>> {
  if (!(await hasTable(db, "known_address"))) return new Map()
  return await countsByHost(db, source, `${UNREAD_SQL} and coalesce(status, 0) not in (404, 410)`)
}

/** @param condition on known addresses, in SQL */
async function countsByHost(
  db: Pick<StateStore, "prepare">,
  source: string,
  condition: string,
): Promise<ReadonlyMap<string, number>> {
  // In SQL: the API asks, too, and a source may know a million. Each has a path, and none a name or a password.
  const rows = await db
    .prepare(
      `select substr(rest, 1, instr(rest, '/') - 1) as host, count(*) as n
       from (select substr(url, instr(url, '://') + 3) as rest from known_address where source = ? and ${condition})
       group by host`,
    )
    .all(source)
  return new Map(rows.map(({ host, n }) => [String(host), Number(n)]))
}

/** Whether the index holds a page for any other source. */
export async function othersHavePages(db: StateStore, source: string): Promise<boolean> {
  if (!(await hasTable(db, "known_address"))) return false
  return (
    (await db
      .prepare("select 1 from known_address where source <> ? and hash is not null limit 1")
      .get(source)) !== undefined
  )
}

/** Whether a source knows any address. */
export async function knowsAny(db: StateStore, source: string): Promise<boolean> {
  return (await db.prepare("select 1 from known_address where source = ? limit 1").get(source)) !== undefined
}

/** Whether the index holds a page for some source that its last visit found. */
export async function isPageNow(db: StateStore, url: PageUrl): Promise<boolean> {
  const row = await db
    .prepare(
      `select 1 from known_address where url = ? and hash is not null and outcome in (${PAGE_OUTCOMES_SQL})`,
    )
    .get(url)
  return row !== undefined
}

/** Where an address led at the last visit of any of these sources, by redirect or canonical; null: of any source. */
export async function whereItLed(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null,
): Promise<PageUrl[]> {
  return (
    await db
      .prepare(
        `select distinct leads_to from known_address where url = ?1 and leads_to is not null
         and (?2 is null or source in (select value from json_each(?2))) order by leads_to`,
      )
      .all(url, sources && JSON.stringify(sources))
  ).map((row) => row["leads_to"] as PageUrl)
}

/** When visits of some sources saw a page. */
export interface PageVisits {
  /** The last that found it, whether it had changed or not; null: the last visit of each did not find it. */
  readonly checkedAt: Date | null
  /** When its text was first seen as it is now; null: not known. */
  readonly changedAt: Date | null
}

export async function pageVisits(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[],
): Promise<PageVisits> {
  const row = await db
    .prepare(
      `select max(visited_at) filter (where outcome in (${PAGE_OUTCOMES_SQL})) as checked, max(changed_at) as changed
       from known_address where url = ? and hash is not null and source in (select value from json_each(?))`,
    )
    .get(url, JSON.stringify(sources))
  const dateOf = (ms: unknown) => (typeof ms === "number" ? new Date(ms) : null)
  return { checkedAt: dateOf(row?.["checked"]), changedAt: dateOf(row?.["changed"]) }
}

/** When a visit of the source last found a page that the index holds; null: never. */
export async function lastCheckOf(db: StateStore, source: string): Promise<Date | null> {
  const row = await db
    .prepare(
      `select max(visited_at) as last from known_address
       where source = ? and hash is not null and outcome in (${PAGE_OUTCOMES_SQL})`,
    )
    .get(source)
  return typeof row?.["last"] === "number" ? new Date(row["last"]) : null
}

/** Addresses at which a job found no page, of one kind. */
export interface Missed {
  readonly outcome: OutcomeName
  /** Of answers that were errors. */
  readonly status: number | null
  /** Whether the index holds the page. */
  readonly isHeld: boolean
  /** Whether only an llms.txt names them. */
  readonly isOnlyListed: boolean
  /** Whether the visit before found a page. */
  readonly isNew: boolean
  readonly count: number
}

/** How often, and how, a job found no page, as long as no later run has visited the addresses. */
export async function missedBy(db: StateStore, job: number): Promise<Missed[]> {
  return (
    await db
      .prepare(
        `select outcome, status, hash is not null as held, misses = 1 and first_seen < visited_at as new,
         found_how = 'llms' as listed, count(*) as n
       from known_address where job = ? and outcome not in (${PAGE_OUTCOMES_SQL}) group by 1, 2, 3, 4, 5`,
      )
      .all(job)
  ).map((row) => ({
    outcome: row["outcome"] as OutcomeName,
    status: row["status"] as number | null,
    isHeld: row["held"] === 1,
    isNew: row["new"] === 1,
    isOnlyListed: row["listed"] === 1,
    count: Number(row["n"]),
  }))
}

/** Where the addresses of a source lead that lead elsewhere. */
export async function* targetsOf(db: StateStore, source: string): AsyncGenerator<string> {
  const rows = db
    .prepare("select leads_to from known_address where source = ? and leads_to is not null")
    .iterate(source)
  for await (const row of rows) yield String(row["leads_to"])
}

/** A page of the index that the last visit did not find. */
export type MissedPage = Pick<KnownAddress, "url" | "outcome" | "detail" | "status" | "leadsTo">

/** Pages of the index that a job visited and did not find, by address, some at a time. */
export async function missedPages(
  db: StateStore,
  job: number,
  after: string,
  limit: number,
): Promise<MissedPage[]> {
  return (
    await db
      .prepare(
        `select url, outcome, detail, status, leads_to from known_address
       where job = ? and url > ? and hash is not null and outcome not in (${PAGE_OUTCOMES_SQL})
       order by url limit ?`,
      )
      .all(job, after, limit)
  ).map((row) => ({
    url: row["url"] as PageUrl,
    outcome: row["outcome"] as KnownAddress["outcome"],
    detail: row["detail"] as string | null,
    status: row["status"] as number | null,
    leadsTo: row["leads_to"] as PageUrl | null,
  }))
}

/**
 * Has each source know the pages that the table `held` names (`url, source, hash`), and no others; those that differ are due and
 * read anew. Runs in the caller's transaction. @returns how many differed.
 */
export async function matchPages(db: StateStore, held: string): Promise<number> {
  const hash = `(select hash from ${held} as held where held.url = known_address.url and held.source = known_address.source)`
  const { changes } = await db
    .prepare(
      `update known_address set etag = null, last_modified = null, copy = null, due_at = 0, hash = ${hash} where hash is not ${hash}`,
    )
    .run()
  return Number(changes)
}

const known = (url: string, source: string, more = "") =>
  `exists (select 1 from known_address as known where known.url = ${url} and known.source = ${source}${more})`

/** In SQL: whether a source knows an address. */
export const isKnownSql = (url: string, source: string): string => known(url, source)

/** In SQL: whether the index holds a page for a source. */
export const isHeldSql = (url: string, source: string): string =>
  known(url, source, " and known.hash is not null")

/** In SQL: whether a job found a page, which the index holds, where it was. */
export const wasFoundSql = (url: string, source: string, job: string): string =>
  known(
    url,
    source,
    ` and known.job = ${job} and known.hash is not null and known.outcome in (${PAGE_OUTCOMES_SQL})`,
  )

/** In SQL: whether the index holds a page that no job after this one has found. */
export const isUnfoundSinceSql = (url: string, source: string, job: string): string =>
  known(
    url,
    source,
    ` and known.hash is not null and (known.outcome not in (${PAGE_OUTCOMES_SQL}) or known.job <= ${job})`,
  )

/**
 * Triggers, as SQL, that fire when a page comes into the index, changes in it, or leaves it. `new` has the fields `job`, `url`,
 * `title`, `hash`, `changed_at`, `visited_at`. `note`: the statement for each.
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
 * Triggers as those of {@link pageTriggers}, which also fire when the index gives up a page because its source is forgotten.
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
