import { isPageNow, missedPages, pageCount, targetsOf } from "../../crawl/frontier/source-pages.ts"
import { readText } from "../../crawl/duplicates/page-text.ts"
import { TextStore } from "../../crawl/duplicates/text-store.ts"
import { landingsIn } from "../../jobs/landings.ts"
import { setImmediate as nextTurn } from "node:timers/promises"
import { toPageUrl, type Engine, type PageUrl } from "#engine"
import type { Serial } from "#base/flow/serial.ts"
import type { Clock } from "#base/clock.ts"
import type { Job } from "../../job.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { carryOutRemovals } from "./carry-out.ts"
import { type Evidence, evidenceOf, type RemovalReason } from "./evidence.ts"
import type { RemovalTables } from "./removal-schema.ts"
import { type RunRemovals, Removals } from "./removals.ts"
import { resemblance, shinglesOf } from "./resemblance.ts"

export interface SettleOptions {
  readonly db: StateStore
  readonly engine: Engine
  readonly job: Pick<Job, "id" | "source" | "trigger">
  readonly clock?: Clock
  /** As in {@link carryOutRemovals}. */
  readonly writes?: Serial
}

/** Number of runs that must agree before a page is removed on evidence for which one run isn't enough. */
const STRIKES = 2
/** An address to which this many others redirect isn't the new location of any page: it is a login page, a search page or a "not found" page. */
const CATCH_ALL = 5
/** The minimum resemblance at which a text counts as the same one at a new address. Lower values aren't enough: pages with the same template share half of their words. */
const SAME_TEXT = 0.9
const CHUNK = 200
/** How many addresses that share lines with a missing page are examined: the page might have moved to one of them. */
const SAME_LINES = 5

/**
 * At the end of a run, judges the indexed pages of its source that the run found to be gone, and removes those with
 * enough evidence, unless they exceed the share that the source allows: then all of them wait for the operator. The
 * caller has the index open for writing. Can be called again for the same run, for example after a crash: a run counts
 * as evidence only once.
 */
export async function settleRemovals(options: SettleOptions): Promise<RunRemovals> {
  const { db, job, clock } = options
  const removals = new Removals(db, clock)
  await removals.acquit(job.id)
  await (await Judgement.open(options)).strike()
  const held = await decide(db, job)
  await carryOutRemovals(options)
  return { removed: (await removals.ofRun(job.id))!.removed, held }
}

interface Suspect {
  readonly url: PageUrl
  readonly detail: string | null
  readonly leadsTo: PageUrl | null
  readonly evidence: Evidence
}

interface Verdict {
  readonly suspect: Suspect
  readonly reason: RemovalReason
  readonly atOnce: boolean
  /** Whether the text is also in the index at another address, so that removing this page loses nothing. */
  readonly spares: boolean
}

/** One run's evidence. */
class Judgement {
  readonly #options: SettleOptions
  /** Number of the source's addresses that redirect to each target. */
  readonly #leading: ReadonlyMap<string, number>
  readonly #fronts: ReadonlySet<string>
  /** Sites that have moved as a whole, judging by their redirects: new origins by old origins. */
  readonly #moves: ReadonlyMap<string, string>
  readonly #texts: TextStore

  static async open(options: SettleOptions): Promise<Judgement> {
    const { db, job } = options
    const leading = new Map<string, number>()
    for await (const target of targetsOf(db, job.source.name)) {
      const place = placeOf(target)
      leading.set(place, (leading.get(place) ?? 0) + 1)
    }
    return new Judgement(options, leading, await landingsIn(db, job.id))
  }

  private constructor(
    options: SettleOptions,
    leading: ReadonlyMap<string, number>,
    landed: ReadonlyMap<string, PageUrl>,
  ) {
    const { job } = options
    this.#options = options
    this.#leading = leading
    this.#texts = new TextStore(options.db, job.source.name)
    const landings = Array.from(landed, ([seed, url]) => ({ seed, landed: url }))
    this.#fronts = new Set([
      ...job.source.seeds.map((seed) => toPageUrl(seed) ?? seed),
      ...landings.map(({ landed }) => landed),
    ])
    this.#moves = new Map(
      landings.map(({ seed, landed }) => [new URL(seed).origin, new URL(landed).origin] as const),
    )
  }

  /** Records all the evidence. */
  async strike(): Promise<void> {
    for (let after = ""; ;) {
      const { suspects, last } = await this.#suspects(after)
      const verdicts: Verdict[] = []
      for (const suspect of suspects) verdicts.push(await this.#judge(suspect))
      await this.#note(verdicts)
      if (last === undefined) return
      after = last
      await nextTurn()
    }
  }

  /** `last`: where the next chunk begins; `undefined` if there are no more. */
  async #suspects(after: string): Promise<{ suspects: Suspect[]; last: PageUrl | undefined }> {
    const { db, job } = this.#options
    const missed = await missedPages(db, job.id, after, CHUNK)
    const suspects = missed.flatMap((page): Suspect[] => {
      const evidence = evidenceOf(page, job.trigger)
      return evidence === null
        ? []
        : [{ url: page.url, detail: page.detail, leadsTo: page.leadsTo, evidence }]
    })
    return { suspects, last: missed[CHUNK - 1]?.url }
  }

  async #judge(suspect: Suspect): Promise<Verdict> {
    const { evidence } = suspect
    const asItIs: Verdict = { suspect, ...evidence, spares: false }
    const leadsTo = suspect.leadsTo ?? this.#siteMovedTo(suspect) ?? (await this.#textMovedTo(suspect))
    if (leadsTo === null || !(await isPageNow(this.#options.db, leadsTo))) return asItIs
    if (await this.#saysTheSame(suspect.url, leadsTo)) {
      const detail = suspect.leadsTo === null ? `its text is now at ${leadsTo}` : suspect.detail
      return { suspect: { ...suspect, detail }, reason: "moved", atOnce: true, spares: true }
    }
    return this.#isCatchAll(leadsTo) ? asItIs : { suspect, reason: "moved", atOnce: true, spares: false }
  }

  /**
   * The same path on the host that the site has moved to. It is worked out here because out-of-scope addresses aren't
   * visited.
   */
  #siteMovedTo({ url, evidence }: Suspect): PageUrl | null {
    if (evidence.reason !== "out-of-scope") return null
    const { origin } = new URL(url)
    const now = this.#moves.get(origin) ?? origin
    return now === origin ? null : toPageUrl(now + url.slice(origin.length))
  }

  /** The address at which the source has exactly the same text as a missing page, for example because a file was renamed. */
  async #textMovedTo({ url, evidence: { reason } }: Suspect): Promise<PageUrl | null> {
    if (reason !== "not-found" && reason !== "gone") return null
    const page = await this.#options.engine.get(url)
    if (page === null) return null
    const { lines, exact } = readText(page).text
    const same = await this.#texts.withLines(lines, SAME_LINES)
    return same.find((one) => one.url !== url && one.exact === exact)?.url ?? null
  }

  #isCatchAll(url: PageUrl): boolean {
    const { pathname, search } = new URL(url)
    if ((pathname === "/" && search === "") || this.#fronts.has(url)) return true
    return (this.#leading.get(placeOf(url)) ?? 0) >= CATCH_ALL
  }

  async #saysTheSame(one: PageUrl, other: PageUrl): Promise<boolean> {
    const { engine } = this.#options
    const [a, b] = await Promise.all([engine.get(one), engine.get(other)])
    if (!a || !b) return false
    return resemblance(shinglesOf(a.markdown), shinglesOf(b.markdown)) >= SAME_TEXT
  }

  async #note(verdicts: readonly Verdict[]): Promise<void> {
    const { db, job, clock = Date.now } = this.#options
    const q = queriesOf<RemovalTables>(db)
    const { name: source, removal } = job.source
    await transaction(db, async () => {
      for (const { suspect, reason, atOnce, spares } of verdicts) {
        const { url, detail } = suspect
        const was = await q
          .selectFrom("removal")
          .select(["state", "strikes", "pinned", "job"])
          .where((eb) => eb.and({ url, source }))
          .executeTakeFirst()
        const state = was?.state
        if (state === "approved" || state === "restoring") continue
        // If a page recorded as removed is in the index, it has come back since, so it starts again without evidence
        // against it.
        const before = was && state !== "removed" ? was : { strikes: 0, pinned: 0, job: null }
        const { pinned } = before
        const strikes = before.strikes + (before.job === job.id ? 0 : 1)
        const said = {
          state: state === "held" ? state : ("struck" as const),
          reason,
          detail,
          strikes,
          due: strikes >= STRIKES || (atOnce && pinned === 0) ? 1 : 0,
          pinned,
          spares: spares ? 1 : 0,
          job: job.id,
          at: clock(),
          keep_days: removal.keepDays,
          expires_at: null,
        }
        await q
          .insertInto("removal")
          .values({ url, source, ...said })
          .onConflict((conflict) => conflict.columns(["url", "source"]).doUpdateSet(said))
          .execute()
      }
    })
  }
}

/**
 * Approves due removals, or holds them. An older verdict that this run did not confirm is left undecided: its page is
 * still waiting.
 * @returns the number of pages of the source that are now waiting.
 */
async function decide(db: StateStore, { id, source }: SettleOptions["job"]): Promise<number> {
  const q = queriesOf<RemovalTables>(db)
  return await transaction(db, async () => {
    const counted = q
      .selectFrom("removal")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("source", "=", source.name)
    const due = q.updateTable("removal").where("source", "=", source.name).where("due", "=", 1)
    const pages = await pageCount(db, source.name)
    const { n: pagesDue } = await counted
      .where((eb) => eb.and({ due: 1, spares: 0 }))
      .where("state", "in", ["struck", "held"])
      .executeTakeFirstOrThrow()
    const approved = due
      .set({ state: "approved" })
      .where("job", "=", id)
      .where("state", "in", ["struck", "held"])
    const isTooMany = pagesDue > allowance(pages, source.removal.maxShare)
    await (isTooMany ? approved.where("spares", "=", 1) : approved).execute()
    await due.set({ state: "held" }).where("state", "=", "struck").execute()
    const { n: held } = await counted.where("state", "=", "held").executeTakeFirstOrThrow()
    await q
      .insertInto("removal_run")
      .values({ job: id, removed: 0, held })
      .onConflict((conflict) => conflict.column("job").doUpdateSet({ held }))
      .execute()
    return held
  })
}

/**
 * Number of pages that a run may remove without asking the operator: the share that the source allows, but at least one
 * page even for the smallest source; none if the share is 0.
 */
function allowance(pages: number, maxShare: number): number {
  return maxShare === 0 ? 0 : Math.max(1, Math.floor(pages * maxShare))
}

/**
 * The target of an address, without its parameters: a login page is one target, even though each page that requires it
 * appends its own address as a parameter.
 */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + (pathname.split(";", 1)[0] ?? "")
}
