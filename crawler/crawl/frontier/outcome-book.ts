import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import type { Job } from "../../job.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import { FOUND_SOMEHOW, type FoundHow, type KnownAddresses, type Visited } from "./known-addresses.ts"
import type { FrontierTables } from "./frontier-schema.ts"

interface Address {
  readonly job: number
  readonly url: PageUrl
}

interface Ended extends Address {
  readonly outcome: OutcomeName
  readonly detail: string | null
}

interface Revised extends Address {
  /** Null: it is open again. */
  readonly outcome: OutcomeName | null
  readonly detail: string | null
}

interface Joining extends Ended {
  readonly host: string
  readonly depth: number
  readonly how: FoundHow | null
  readonly on: string | null
}

const outcomeAt = once((q: Queries<FrontierTables>, { job, url }: Address) =>
  q.selectFrom("crawl_url").select("outcome").where("job", "=", job).where("url", "=", url),
)

const revise = once((q: Queries<FrontierTables>, { job, url, outcome, detail }: Revised) =>
  q.updateTable("crawl_url").set({ outcome, detail }).where("job", "=", job).where("url", "=", url),
)

const close = once((q: Queries<FrontierTables>, { job, url, outcome, detail }: Ended) =>
  q
    .updateTable("crawl_url")
    .set({ outcome, detail })
    .where("job", "=", job)
    .where("url", "=", url)
    .where("outcome", "is", null)
    .returning([
      "depth",
      "found_how as how",
      "found_on as on",
      "modified_at as modifiedAt",
      "published_at as publishedAt",
      "news",
      "listed_in as listedIn",
    ]),
)

const join = once(
  (q: Queries<FrontierTables>, { job, url, host, depth, outcome, detail, how, on }: Joining) =>
    q
      .insertInto("crawl_url")
      .values({
        job,
        url,
        host,
        depth,
        priority: 0,
        due: 0,
        outcome,
        detail,
        found_how: how,
        found_on: on,
      })
      .onConflict((conflict) => conflict.doNothing()),
)

const count = once((q: Queries<FrontierTables>, { job, outcome }: { job: number; outcome: OutcomeName }) =>
  q
    .insertInto("job_outcome")
    .values({ job, outcome, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(["job", "outcome"]).doUpdateSet((eb) => ({ count: eb("job_outcome.count", "+", 1) })),
    ),
)

/** How the visits of one job ended, address by address and counted, in `state.db`. */
export class OutcomeBook {
  readonly #db: StateStore
  readonly #job: Pick<Job, "id" | "source">
  readonly #known: KnownAddresses

  constructor(db: StateStore, job: Pick<Job, "id" | "source">, known: KnownAddresses) {
    this.#db = db
    this.#job = job
    this.#known = known
  }

  /**
   * Closes addresses with their outcomes, in one transaction, and counts them for the job. An address that was
   * not in the frontier, such as the target of a redirect, joins it closed.
   * @returns how many were open
   */
  async record(results: readonly Visited[]): Promise<number> {
    let closed = 0
    await transaction(this.#db, async () => {
      const job = this.#job.id
      const visits: Visited[] = []
      for (const visit of results) {
        const { url, outcome, detail, found = FOUND_SOMEHOW } = visit
        const row = await close.get(this.#db, { job, url, outcome, detail })
        if (row) {
          closed += 1
          await count.run(this.#db, { job, outcome })
          visits.push({ ...visit, found: withFlag(row) })
          continue
        }
        const { depth, how, on } = found
        const { host } = new URL(url)
        if ((await join.run(this.#db, { job, url, host, depth, outcome, detail, how, on })) > 0)
          await count.run(this.#db, { job, outcome })
        else await this.#revise(visit)
        visits.push({ ...visit, found })
      }
      await this.#known.record(this.#job, visits)
    })
    return closed
  }

  /** Opens addresses again that were closed: what they were taken for has turned out to be nothing. @returns those. */
  async reopen(urls: readonly PageUrl[]): Promise<PageUrl[]> {
    const opened: PageUrl[] = []
    await transaction(this.#db, async () => {
      for (const url of urls) {
        const before = await this.outcomeOf(url)
        if (before === null) continue
        await revise.run(this.#db, { job: this.#job.id, url, outcome: null, detail: null })
        await this.#uncount(before)
        opened.push(url)
      }
    })
    return opened
  }

  /** The recorded outcome of an address; null while it is open or unknown. */
  async outcomeOf(url: PageUrl): Promise<OutcomeName | null> {
    return (await outcomeAt.get(this.#db, { job: this.#job.id, url }))?.outcome ?? null
  }

  async #uncount(outcome: OutcomeName): Promise<void> {
    const queries = queriesOf<FrontierTables>(this.#db)
    const { id } = this.#job
    await queries
      .updateTable("job_outcome")
      .set((eb) => ({ count: eb("count", "-", 1) }))
      .where("job", "=", id)
      .where("outcome", "=", outcome)
      .execute()
    await queries
      .deleteFrom("job_outcome")
      .where("job", "=", id)
      .where("outcome", "=", outcome)
      .where("count", "<=", 0)
      .execute()
  }

  /** Corrects an outcome that is recorded: a page may turn out to be another one's. Runs in the caller's transaction. */
  async #revise({ url, outcome, detail }: Visited): Promise<void> {
    const job = this.#job.id
    const before = await this.outcomeOf(url)
    if (before === null || before === outcome) return
    await revise.run(this.#db, { job, url, outcome, detail })
    await this.#uncount(before)
    await count.run(this.#db, { job, outcome })
  }
}

/** A row of the frontier, with what it says of its address as {@link ListedFacts}. */
export const withFlag = <R>({ news, ...row }: R & { readonly news: number }) => ({
  ...row,
  isNews: news === 1,
})
