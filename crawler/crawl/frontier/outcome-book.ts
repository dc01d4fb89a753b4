import type { PageUrl } from "#engine"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import type { Job } from "../../job.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import {
  type Found,
  FOUND_SOMEHOW,
  type FoundHow,
  type KnownAddresses,
  type ListedFacts,
  type Visited,
} from "./known-addresses.ts"

/** How the visits of one job ended, address by address and counted, in `state.db`. */
export class OutcomeBook {
  readonly #db: StateStore
  readonly #job: Pick<Job, "id" | "source">
  readonly #known: KnownAddresses
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore, job: Pick<Job, "id" | "source">, known: KnownAddresses) {
    this.#db = db
    this.#job = job
    this.#known = known
    this.#prepare = prepareOnce(db)
  }

  /**
   * Closes addresses with their outcomes, in one transaction, and counts them for the job. An address that was
   * not in the frontier, such as the target of a redirect, joins it closed.
   * @returns how many were open
   */
  async record(results: readonly Visited[]): Promise<number> {
    let closed = 0
    await transaction(this.#db, async () => {
      const close = this.#prepare(
        `update crawl_url set outcome = ?, detail = ? where job = ? and url = ? and outcome is null
         returning depth, found_how, found_on, modified_at, published_at, news, listed_in`,
      )
      const join = this.#prepare(
        `insert or ignore into crawl_url (job, url, host, depth, priority, due, outcome, detail, found_how, found_on)
         values (?, ?, ?, ?, 0, 0, ?, ?, ?, ?)`,
      )
      const count = this.#prepare(
        `insert into job_outcome values (?, ?, 1) on conflict (job, outcome) do update set count = count + 1`,
      )
      const { id } = this.#job
      const visits: Visited[] = []
      for (const visit of results) {
        const { url, outcome, detail, found = FOUND_SOMEHOW } = visit
        const row = await close.get(outcome, detail, id, url)
        if (row) {
          closed += 1
          await count.run(id, outcome)
          visits.push({ ...visit, found: foundOf(row) })
          continue
        }
        const { changes } = await join.run(
          id,
          url,
          new URL(url).host,
          found.depth,
          outcome,
          detail,
          found.how,
          found.on,
        )
        if (changes > 0) await count.run(id, outcome)
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
        const { id } = this.#job
        await this.#prepare(
          "update crawl_url set outcome = null, detail = null where job = ? and url = ?",
        ).run(id, url)
        await this.#uncount(before)
        opened.push(url)
      }
    })
    return opened
  }

  /** The recorded outcome of an address; null while it is open or unknown. */
  async outcomeOf(url: PageUrl): Promise<OutcomeName | null> {
    const row = await this.#prepare("select outcome from crawl_url where job = ? and url = ?").get(
      this.#job.id,
      url,
    )
    return (row?.["outcome"] ?? null) as OutcomeName | null
  }

  async #uncount(outcome: OutcomeName): Promise<void> {
    const { id } = this.#job
    await this.#prepare("update job_outcome set count = count - 1 where job = ? and outcome = ?").run(
      id,
      outcome,
    )
    await this.#prepare("delete from job_outcome where job = ? and outcome = ? and count <= 0").run(
      id,
      outcome,
    )
  }

  /** Corrects an outcome that is recorded: a page may turn out to be another one's. Runs in the caller's transaction. */
  async #revise({ url, outcome, detail }: Visited): Promise<void> {
    const { id } = this.#job
    const before = await this.outcomeOf(url)
    if (before === null || before === outcome) return
    await this.#prepare("update crawl_url set outcome = ?, detail = ? where job = ? and url = ?").run(
      outcome,
      detail,
      id,
      url,
    )
    await this.#uncount(before)
    await this.#prepare(
      `insert into job_outcome values (?, ?, 1) on conflict (job, outcome) do update set count = count + 1`,
    ).run(id, outcome)
  }
}

function foundOf(row: Record<string, unknown>): Found {
  return {
    depth: Number(row["depth"]),
    how: row["found_how"] as FoundHow | null,
    on: row["found_on"] as string | null,
    listedIn: row["listed_in"] as string | null,
    ...factsOf(row),
  }
}

/** What a row of the frontier says of its address. */
export function factsOf(row: Record<string, unknown>): ListedFacts {
  return {
    modifiedAt: row["modified_at"] as number | null,
    publishedAt: row["published_at"] as number | null,
    isNews: row["news"] === 1,
  }
}
