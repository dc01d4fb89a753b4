import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import type { Job } from "../../job.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import { FOUND_SOMEHOW, type KnownAddresses, type Visited } from "./known-addresses.ts"
import type { CrawlUrl, FrontierTables } from "./frontier-schema.ts"

const outcomeAt = once((q: Queries<FrontierTables>, { job, url }: CrawlUrl) =>
  q
    .selectFrom("crawl_url")
    .select("outcome")
    .where((eb) => eb.and({ job, url })),
)

const revise = (q: Queries<FrontierTables>, { job, url, outcome, detail }: CrawlUrl<"outcome" | "detail">) =>
  q
    .updateTable("crawl_url")
    .set({ outcome, detail })
    .where((eb) => eb.and({ job, url }))

const revised = once(revise)

const closed = once((q: Queries<FrontierTables>, row: CrawlUrl<"outcome" | "detail">) =>
  revise(q, row)
    .where("outcome", "is", null)
    .returning(["depth", "found_how as how", "found_on as on", "news", "listed_in as listedIn"])
    .returning(["modified_at as modifiedAt", "published_at as publishedAt"]),
)

const joined = once(
  (
    q: Queries<FrontierTables>,
    row: CrawlUrl<"host" | "depth" | "outcome" | "detail" | "found_how" | "found_on">,
  ) => {
    const { job, url, host, depth, outcome, detail, found_how, found_on } = row
    return q
      .insertInto("crawl_url")
      .values({ job, url, host, depth, priority: 0, due: 0, outcome, detail, found_how, found_on })
      .onConflict((conflict) => conflict.doNothing())
  },
)

const count = once((q: Queries<FrontierTables>, { job, outcome }: { job: number; outcome: OutcomeName }) =>
  q
    .insertInto("job_outcome")
    .values({ job, outcome, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(["job", "outcome"]).doUpdateSet((eb) => ({ count: eb("job_outcome.count", "+", 1) })),
    ),
)

/** How the visits of one job ended: address by address, and as counts, in `state.db`. */
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
   * Closes addresses with their outcomes, in one transaction, and counts them for the job. An address that was not in
   * the frontier, such as the target of a redirect, is added to it as closed.
   * @returns how many were open
   */
  async record(results: readonly Visited[]): Promise<number> {
    let open = 0
    await transaction(this.#db, async () => {
      const job = this.#job.id
      const visits: Visited[] = []
      for (const visit of results) {
        const { url, outcome, detail, found = FOUND_SOMEHOW } = visit
        const row = await closed.get(this.#db, { job, url, outcome, detail })
        if (row) {
          open += 1
          await count.run(this.#db, { job, outcome })
          const { news, ...was } = row
          visits.push({ ...visit, found: { ...was, isNews: news === 1 } })
          continue
        }
        const { depth, how: found_how, on: found_on } = found
        const { host } = new URL(url)
        if ((await joined.run(this.#db, { job, url, host, depth, outcome, detail, found_how, found_on })) > 0)
          await count.run(this.#db, { job, outcome })
        else await this.#revise(visit)
        visits.push({ ...visit, found })
      }
      await this.#known.record(this.#job, visits)
    })
    return open
  }

  /** Reopens addresses that were closed for a reason that proved wrong. @returns the reopened ones. */
  async reopen(urls: readonly PageUrl[]): Promise<PageUrl[]> {
    const opened: PageUrl[] = []
    await transaction(this.#db, async () => {
      for (const url of urls) {
        const before = await this.outcomeOf(url)
        if (before === null) continue
        await revised.run(this.#db, { job: this.#job.id, url, outcome: null, detail: null })
        await this.#uncount(before)
        opened.push(url)
      }
    })
    return opened
  }

  /** The recorded outcome of an address; `null` while it is open or unknown. */
  async outcomeOf(url: PageUrl): Promise<OutcomeName | null> {
    return (await outcomeAt.get(this.#db, { job: this.#job.id, url }))?.outcome ?? null
  }

  async #uncount(outcome: OutcomeName): Promise<void> {
    const queries = queriesOf<FrontierTables>(this.#db)
    const { id: job } = this.#job
    await queries
      .updateTable("job_outcome")
      .set((eb) => ({ count: eb("count", "-", 1) }))
      .where((eb) => eb.and({ job, outcome }))
      .execute()
    await queries
      .deleteFrom("job_outcome")
      .where((eb) => eb.and({ job, outcome }))
      .where("count", "<=", 0)
      .execute()
  }

  /** Corrects a recorded outcome: a page may turn out to belong to another address. Runs in the caller's transaction. */
  async #revise({ url, outcome, detail }: Visited): Promise<void> {
    const job = this.#job.id
    const before = await this.outcomeOf(url)
    if (before === null || before === outcome) return
    await revised.run(this.#db, { job, url, outcome, detail })
    await this.#uncount(before)
    await count.run(this.#db, { job, outcome })
  }
}
