import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import { isLike, listed } from "#base/store/query/words.ts"
import { type FoundHow, type FrontierTables, migrateFrontier } from "./frontier-schema.ts"
import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import type { Failure } from "../../job.ts"
import { FAILURES_LIKE, isFailure, type OutcomeCounts, type OutcomeName } from "../../outcome-name.ts"

// Queries about a job's addresses, for code that does not work on the job.

const crawlUrl = expressionBuilder<FrontierTables, "crawl_url">()
const isPruned = crawlUrl.or([
  crawlUrl("outcome", "is", null),
  crawlUrl.not(isLike(crawlUrl.ref("outcome"), sql.lit(FAILURES_LIKE))),
])
/** Number of rows deleted at a time, so that no other process waits long for the store. */
const PRUNED_ROWS = 2000

const addresses = (db: StateStore, job: number) =>
  queriesOf<FrontierTables>(db).selectFrom("crawl_url").where("job", "=", job)

/** The number of a job's visits, by how they ended. */
export async function outcomesOf(db: StateStore, job: number): Promise<OutcomeCounts> {
  const outcomes: Partial<Record<OutcomeName, number>> = {}
  const rows = await queriesOf<FrontierTables>(db)
    .selectFrom("job_outcome")
    .select(["outcome", "count"])
    .where("job", "=", job)
    .execute()
  for (const { outcome, count } of rows) outcomes[outcome] = count
  return outcomes
}

/** The number of addresses that a job has not visited. */
export async function openCount(db: StateStore, job: number): Promise<number> {
  const { n } = await addresses(db, job)
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("outcome", "is", null)
    .executeTakeFirstOrThrow()
  return n
}

/** Addresses of a job that failed, with the reason in words. Sorted by address, because sorting by outcome would reveal the outcome. */
export async function failuresOf(db: StateStore, job: number, limit: number): Promise<Failure[]> {
  return await addresses(db, job)
    .select(["url", "outcome", "detail"])
    .where((eb) => isLike(eb.ref("outcome"), FAILURES_LIKE))
    .orderBy("url")
    .limit(limit)
    .$narrowType<{ outcome: OutcomeName }>()
    .execute()
}

/** Where a list of addresses by outcome continues: after this group and address. */
export interface AddressCursor {
  /** Name of the {@link OutcomeGroup}. */
  readonly group: string
  readonly url: string
}

/** Outcomes that are listed as one group. */
export interface OutcomeGroup {
  readonly name: string
  readonly outcomes: readonly OutcomeName[]
}

/**
 * Addresses of a job by how their visits ended, sorted by group name, then by address. Failed addresses are kept for
 * the latest runs of a source; others are kept until a later run has visited them, and belong to that run from then on.
 */
export async function addressesOf(
  db: StateStore,
  job: number,
  groups: readonly OutcomeGroup[],
  { after, limit }: { readonly after: AddressCursor | null; readonly limit: number },
): Promise<(Failure & { readonly group: string })[]> {
  const found: (Failure & { readonly group: string })[] = []
  const left = groups.filter(({ name }) => after === null || name >= after.group)
  for (const { name, outcomes } of left.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const table = outcomes.some((outcome) => isFailure(outcome)) ? "crawl_url" : "known_address"
    const rows = await queriesOf<FrontierTables>(db)
      .selectFrom(table)
      .select(["url", "outcome", "detail"])
      .where("job", "=", job)
      .where("outcome", "in", listed(outcomes))
      .where("url", ">", (name === after?.group ? after.url : "") as PageUrl)
      .orderBy("url")
      .limit(limit - found.length)
      .$narrowType<{ outcome: OutcomeName }>()
      .execute()
    for (const row of rows) found.push({ group: name, ...row })
    if (found.length >= limit) break
  }
  return found
}

/** A host that a run gave up on. */
export interface GivenUpHost {
  readonly host: string
  /** Number of addresses that were not visited because of it. */
  readonly left: number
  readonly why: string
}

/** Hosts that a job gave up on, as recorded in the details of their addresses, as long as the job still has its frontier. */
export async function givenUpHosts(db: StateStore, job: number): Promise<GivenUpHost[]> {
  const hosts = await addresses(db, job)
    .select((eb) => ["host", eb.fn.min<string>("detail").as("detail"), eb.fn.countAll<number>().as("left")])
    .where("outcome", "is not", null)
    .where("detail", "like", "% was given up%")
    .where(sql<SqlBool>`instr(detail, host || ' was given up') = 1`)
    .groupBy("host")
    .orderBy("left", "desc")
    .execute()
  return hosts.map(({ host, left, detail }) => ({
    host,
    left,
    // A host with its port contains no space, so none of its colons matches here.
    why: /: (.+)/s.exec(detail)?.[1] ?? "it did not answer",
  }))
}

/** How the visit to one address ended, as long as the job still has its frontier; `null` if it was not visited. */
export async function endingOf(
  db: StateStore,
  job: number,
  url: PageUrl,
): Promise<Omit<Failure, "url"> | null> {
  const row = await addresses(db, job)
    .select(["outcome", "detail"])
    .where("url", "=", url)
    .where("outcome", "is not", null)
    .$narrowType<{ outcome: OutcomeName }>()
    .executeTakeFirst()
  return row ?? null
}

/** Forgets all of a job's addresses except the failed ones, while `mayPrune` holds. */
export async function pruneAddresses(
  db: StateStore,
  job: number,
  mayPrune: Expression<SqlBool>,
): Promise<void> {
  const queries = queriesOf<FrontierTables>(db)
  const some = queries
    .deleteFrom("crawl_url")
    .where("job", "=", job)
    .where(
      "url",
      "in",
      queries.selectFrom("crawl_url").select("url").where("job", "=", job).where(isPruned).limit(PRUNED_ROWS),
    )
    .where(mayPrune)
  while ((await some.executeTakeFirst()).numDeletedRows > 0n);
}

/** Forgets all addresses of jobs. @param jobs a query for their numbers */
export async function forgetAddresses(db: StateStore, jobs: Expression<{ id: number }>): Promise<void> {
  const some = sql`delete from crawl_url
    where (job, url) in (select job, url from crawl_url where job in (${jobs}) limit ${PRUNED_ROWS})`
  while (((await some.execute(queriesOf(db))).numAffectedRows ?? 0n) > 0n);
}

/** Whether {@link pruneAddresses} has something to do. */
export const hasPrunable = (job: Expression<number>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from crawl_url where crawl_url.job = ${job} and ${isPruned})`

/** Whether a job has an open address on a host (given with its port). */
export const hasOpenAt = async (db: StateStore, job: number, host: string): Promise<boolean> =>
  (await addresses(db, job)
    .select("url")
    .where("host", "=", host)
    .where("outcome", "is", null)
    .executeTakeFirst()) !== undefined

/** An address that is waiting for its visit. */
export interface WaitingAddress {
  readonly job: number
  readonly depth: number
  /** Number of unsuccessful visits. */
  readonly tries: number
  /** When the next visit may be made, in milliseconds since 1970. */
  readonly due: number
  /** `null` for an address left over from an earlier run. */
  readonly how: FoundHow | null
  readonly on: string | null
}

/** Finds where an address is waiting for its visit: in the latest job that has it open; `null` if it is not waiting. */
export async function waitingAddress(db: StateStore, url: PageUrl): Promise<WaitingAddress | null> {
  const row = await queriesOf<FrontierTables>(db)
    .selectFrom("crawl_url")
    .select(["job", "depth", "tries", "due", "found_how as how", "found_on as on"])
    .where("url", "=", url)
    .where("outcome", "is", null)
    .orderBy("job", "desc")
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** How many visits ended, and how many of them failed, for every stored job. */
export async function visitsByJob(
  db: StateStore,
): Promise<ReadonlyMap<number, { readonly all: number; readonly failed: number }>> {
  migrateFrontier(db)
  const rows = await queriesOf<FrontierTables>(db)
    .selectFrom("job_outcome")
    .select((eb) => [
      "job",
      eb.fn.sum<number>("count").as("all"),
      eb.fn
        .coalesce(eb.fn.sum<number>("count").filterWhere(isLike(eb.ref("outcome"), FAILURES_LIKE)), eb.lit(0))
        .as("failed"),
    ])
    .groupBy("job")
    .execute()
  return new Map(rows.map(({ job, ...visits }) => [job, visits]))
}
