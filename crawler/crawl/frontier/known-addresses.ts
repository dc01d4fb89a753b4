import { type FoundHow, migrateFrontier } from "./frontier-schema.ts"

export type { FoundHow }
import { isFailure, isMissing, type OutcomeName } from "../../outcome-name.ts"
import type { PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { Validators } from "../../fetch/fetch.ts"
import type { MarkdownCopy } from "../copies/markdown-copy.ts"
import type { Job } from "../../job.ts"
import { PageLinks } from "./page-links.ts"
import { type Ending, nextVisit } from "./revisit.ts"
import type { Source } from "../../source.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"

/** What a sitemap or feed says of a page, beside its address. Times are milliseconds since 1970. */
export interface ListedFacts {
  readonly modifiedAt: number | null
  readonly publishedAt: number | null
  /** Listed as news, by a news sitemap or a feed that calls itself so. */
  readonly isNews: boolean
}

/** How an address was found, and what was said of it. */
export interface Found extends ListedFacts {
  /** Link steps from a seed. */
  readonly depth: number
  /** Null for an address that an earlier run left, whose story stands. */
  readonly how: FoundHow | null
  /** The page, sitemap or feed that named it. */
  readonly on: string | null
  /** The sitemap that lists it. */
  readonly listedIn: string | null
}

/** What is taken to be so of an address of which no more is told. */
export const FOUND_SOMEHOW: Found = {
  depth: 1,
  how: null,
  on: null,
  listedIn: null,
  modifiedAt: null,
  publishedAt: null,
  isNews: false,
}

/** What a visit taught its source about an address. */
export interface Visited {
  readonly url: PageUrl
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** Hash of the page as indexed; null when the index holds none any more; left out when an earlier one stands. */
  readonly hash?: string | null
  /** Of the page as indexed; left out when an earlier one stands. */
  readonly title?: string
  /** HTTP status of an answer that was an error. */
  readonly status?: number | undefined
  /** The other address that its redirect or canonical names. */
  readonly leadsTo?: PageUrl | undefined
  /** Of the answer the page was made from; left out when earlier ones stand. */
  readonly validators?: Validators
  /** What the page was read as (read-as.ts); left out when an earlier one stands. */
  readonly readAs?: string
  /** Its markdown copy; null if it has none. Left out, the earlier record stays. */
  readonly copy?: MarkdownCopy | null
  /** Where the page leads, packed; null for more links than are kept; left out when it was not read. */
  readonly links?: Uint8Array | null
  /** For an address that the frontier does not hold. */
  readonly found?: Found
}

/** All that one source knows of an address. Times are milliseconds since 1970; null: never. */
export interface KnownAddress extends ListedFacts {
  readonly url: PageUrl
  /** Name of the source that knows this of it. */
  readonly source: string
  /** The job that visited it last. */
  readonly job: number
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** Hash of the page as the index holds it; null when it holds none. */
  readonly hash: string | null
  /** Of the page when it was last indexed; null when it never was. */
  readonly title: string | null
  readonly visitedAt: number
  readonly changedAt: number | null
  /** Of the last visit, if it ended with an error of the site's. */
  readonly status: number | null
  /** The other address that a redirect or canonical named at the last visit. */
  readonly leadsTo: PageUrl | null
  /** Link steps from a seed. */
  readonly depth: number
  readonly foundHow: FoundHow
  readonly foundOn: string | null
  readonly firstSeen: number
  /** A run with visits "due" leaves it alone before. */
  readonly dueAt: number
  /** From a visit that found a page to the next, in milliseconds; null before the first visit. */
  readonly intervalMs: number | null
  /** Visits in a row that found no page. */
  readonly misses: number
  readonly validators: Validators
  readonly copy: MarkdownCopy | null
  readonly readAs: string | null
  /** The sitemap that lists it. */
  readonly listedIn: string | null
}

/** Where a walk through the addresses of a source stands. */
export interface KnownCursor {
  readonly dueAt: number
  readonly url: string
}

export interface KnownChunk {
  readonly addresses: readonly KnownAddress[]
  /** Null: there are no more. */
  readonly next: KnownCursor | null
}

const CHUNK = 1000
/** An address that had no page as often as this in a row was looked for over a month at least, unless something still led there. */
export const VAIN_VISITS = 6
const HOUR_MS = 3_600_000

/**
 * What the crawls of each source know of the addresses they visited, in `state.db`: the memory from one run to the
 * next. Where sources overlap, each knows an address by itself, so that what one finds there is no evidence of another's.
 * A frontier belongs to one job and is emptied after it.
 */
export class KnownAddresses {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #links: PageLinks

  constructor(db: StateStore, clock: Clock = Date.now) {
    migrateFrontier(db)
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#links = new PageLinks(db)
    this.#clock = clock
  }

  /** The time by which it is told what is due. */
  now(): number {
    return this.#clock()
  }

  /** Keeps how visits ended, and when each address is to be visited again. Runs in the caller's transaction. */
  async record({ id, source }: Pick<Job, "id" | "source">, visits: readonly Visited[]): Promise<void> {
    const now = this.#clock()
    const keep = this.#prepare(
      `insert into known_address (url, source, job, outcome, detail, visited_at, hash, changed_at, title, status, leads_to,
         depth, found_how, found_on, first_seen, etag, last_modified, read_as, misses, interval_ms, due_at,
         listed_in, listed_job, modified_at, published_at, news, copy)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?6, ?15, ?16, ?17, ?18, ?19, ?20,
         ?21, ?3, ?22, ?23, ?24, ?25)
       on conflict (url, source) do update set job = ?3, outcome = ?4, detail = ?5, visited_at = ?6,
         hash = ?7, changed_at = ?8, title = coalesce(?9, title), status = ?10, leads_to = ?11, depth = ?12,
         etag = ?15, last_modified = ?16, read_as = ?17, misses = ?18, interval_ms = ?19, due_at = ?20,
         listed_job = case when ?21 is null then listed_job else ?3 end, listed_in = coalesce(?21, listed_in),
         modified_at = ?22, published_at = ?23, news = ?24, copy = ?25`,
    )
    for (const visit of visits) {
      const { url, outcome, detail, found = FOUND_SOMEHOW } = visit
      const before = await this.get(url, source.name)
      const hash = visit.hash === undefined ? (before?.hash ?? null) : visit.hash
      const validators = visit.validators ?? before?.validators
      const copy = visit.copy === undefined ? (before?.copy ?? null) : visit.copy
      const modifiedAt = found.modifiedAt ?? before?.modifiedAt ?? null
      const { intervalMs, misses, dueAt } = nextVisit(
        source.revisit,
        before?.intervalMs == null ? null : { ...before, intervalMs: before.intervalMs },
        {
          at: now,
          ending: endingOf(visit, hash),
          changedAt: dateOf(validators?.lastModified),
          listedAt: modifiedAt,
        },
      )
      await keep.run(
        url,
        source.name,
        id,
        outcome,
        detail,
        now,
        hash,
        hash === (before?.hash ?? null) ? (before?.changedAt ?? null) : now,
        visit.title ?? null,
        visit.status ?? null,
        visit.leadsTo ?? null,
        before && found.how === null ? before.depth : found.depth,
        found.how ?? "link",
        found.on,
        validators?.etag ?? null,
        validators?.lastModified ?? null,
        visit.readAs ?? before?.readAs ?? null,
        misses,
        intervalMs,
        dueAt,
        found.listedIn,
        modifiedAt,
        found.publishedAt ?? before?.publishedAt ?? null,
        found.isNews || before?.isNews ? 1 : 0,
        copy && JSON.stringify(copy),
      )
      // What is gone leads nowhere.
      const links = isMissing(visit.status) ? null : visit.links
      if (links !== undefined) await this.#links.keep(source.name, url, links)
    }
  }

  /** Where a page of the source led when it was last read, or null when that is not known. */
  async linksOf(source: string, url: PageUrl): Promise<string[] | null> {
    return await this.#links.get(source, url)
  }

  /** Whether {@link linksOf} has an answer. */
  async hasLinksOf(source: string, url: PageUrl): Promise<boolean> {
    return await this.#links.has(source, url)
  }

  /**
   * What a source knows of an address, or null. Without its name: the one that knows best, by the page that the index
   * holds of it, then by the latest visit.
   */
  async get(url: PageUrl, source?: string): Promise<KnownAddress | null> {
    if (source === undefined) return (await this.all(url))[0] ?? null
    const row = await this.#prepare("select * from known_address where url = ? and source = ?").get(
      url,
      source,
    )
    return row ? addressOf(row) : null
  }

  /** What each source that met an address knows of it, the one that knows best first. */
  async all(url: PageUrl): Promise<KnownAddress[]> {
    return (
      await this.#prepare(
        "select * from known_address where url = ? order by hash is null, visited_at desc, source",
      ).all(url)
    ).map(addressOf)
  }

  /**
   * The addresses of a source that were not visited by `job`, those due longest first, some at a time. `until`: those
   * due by then.
   */
  async chunk(source: string, job: number, until: number, after: KnownCursor | null): Promise<KnownChunk> {
    const addresses = (
      await this.#prepare(
        `select * from known_address where source = ? and due_at <= ? and (due_at, url) > (?, ?) and job <> ?
       order by due_at, url limit ${CHUNK}`,
      ).all(source, until, after?.dueAt ?? -1, after?.url ?? "", job)
    ).map(addressOf)
    const last = addresses.length === CHUNK ? addresses.at(-1) : undefined
    return { addresses, next: last ? { dueAt: last.dueAt, url: last.url } : null }
  }

  /**
   * Makes an address of a source due, to be read in full whatever its validators or its copy say: the next run visits it
   * among the first. @returns whether the source knows it
   */
  async makeDue(url: PageUrl, source: string): Promise<boolean> {
    const { changes } = await this.#prepare(
      "update known_address set due_at = 0, etag = null, last_modified = null, copy = null where url = ? and source = ?",
    ).run(url, source)
    return changes > 0
  }

  /** Makes due what was visited while the clock was ahead: nothing rests longer than the longest interval. */
  async heal({ name, revisit }: Pick<Source, "name" | "revisit">): Promise<void> {
    const now = this.#clock()
    const longest = Math.max(revisit.minHours, revisit.maxHours) * HOUR_MS
    await this.#prepare("update known_address set due_at = ?2 where source = ?1 and due_at > ?3").run(
      name,
      now,
      now + longest,
    )
  }

  /**
   * Takes down what a sitemap or feed says of an address, and that it is still listed. Runs in the caller's
   * transaction. @returns the address as it was known, or null.
   */
  async list(
    source: string,
    job: number,
    url: PageUrl,
    listedIn: string | null,
    facts: ListedFacts,
  ): Promise<KnownAddress | null> {
    const known = await this.get(url, source)
    if (known === null) return null
    await this.#prepare(
      `update known_address set listed_in = coalesce(?2, listed_in), listed_job = case when ?2 is null then listed_job else ?3 end,
         modified_at = coalesce(?4, modified_at), published_at = coalesce(?5, published_at), news = max(news, ?6)
       where url = ?1 and source = ?7`,
    ).run(url, listedIn, job, facts.modifiedAt, facts.publishedAt, facts.isNews ? 1 : 0, source)
    return known
  }

  /** Addresses of a source that a sitemap listed before and, read to its end by `job`, lists no more; they are due now. */
  async unlisted(source: string, sitemap: string, job: number): Promise<readonly KnownAddress[]> {
    const gone = (
      await this.#prepare(
        "select * from known_address where listed_in = ? and listed_job <> ? and source = ?",
      ).all(sitemap, job, source)
    ).map(addressOf)
    if (gone.length > 0) {
      await this.#prepare(
        `update known_address set listed_in = null, modified_at = null, due_at = min(due_at, ?3)
         where listed_in = ?1 and listed_job <> ?2 and source = ?4`,
      ).run(sitemap, job, this.#clock(), source)
    }
    return gone
  }

  /** Hash under which a source indexed the page, or null; without its name: under which any did. */
  async hashOf(url: PageUrl, source?: string): Promise<string | null> {
    return (await this.get(url, source))?.hash ?? null
  }

  /** Takes down that the index holds the page for a source now, or with null no more. Runs in the caller's transaction. */
  async setHash(url: PageUrl, source: string, hash: string | null): Promise<void> {
    await this.#prepare("update known_address set hash = ?, changed_at = ? where url = ? and source = ?").run(
      hash,
      this.#clock(),
      url,
      source,
    )
  }

  /** Some addresses of a source: those that the index holds as pages, and others. */
  async some(source: string, limit: number): Promise<Pick<KnownAddress, "url" | "hash">[]> {
    return (
      await this.#prepare("select url, hash from known_address where source = ? limit ?").all(source, limit)
    ).map((row) => ({ url: row["url"] as PageUrl, hash: row["hash"] as string | null }))
  }

  /** Forgets all that a source knows of an address. Runs in the caller's transaction. */
  async forget(url: PageUrl, source: string): Promise<void> {
    await this.#prepare("delete from known_address where url = ? and source = ?").run(url, source)
    await this.#links.keep(source, url, null)
  }

  /**
   * Forgets addresses at which nothing was found again and again, unless a sitemap lists them: a site whose pages come and go would
   * leave one for each page that it ever had. Who meets a link to one visits it like a new one.
   *
   * @param sparedSql in SQL: whether an address of a source is kept nevertheless
   * @returns how many there were
   */
  async forgetDead(sparedSql: (url: string, source: string) => string = () => "false"): Promise<number> {
    const some = this.#prepare(
      `select url, source from known_address where (url, source) > (?, ?) and hash is null and status in (404, 410)
         and misses >= ${VAIN_VISITS} and listed_in is null 
         and not (${sparedSql("known_address.url", "known_address.source")}) order by url, source limit ${CHUNK}`,
    )
    let forgotten = 0
    for (let last = { url: "", source: "" }; ;) {
      const dead = (await some.all(last.url, last.source)) as (typeof last)[]
      if (dead.length === 0) return forgotten
      await transaction(this.#db, async () => {
        for (const { url, source } of dead) await this.forget(url as PageUrl, source)
      })
      forgotten += dead.length
      last = dead.at(-1)!
    }
  }

  /** Pages by when a crawl looked at them last: how many after each of these times, of how many, and the oldest look. */
  async lookedAtSince(times: readonly number[]): Promise<{
    readonly pages: number
    readonly since: readonly number[]
    readonly oldest: Date | null
  }> {
    const counts = times.map((_, index) => `count(*) filter (where at > ?${index + 1}) as since${index}`)
    const row = (await this.#prepare(
      `select count(*) as pages, min(at) as oldest, ${counts.join(", ")}
       from (select max(visited_at) as at from known_address where hash is not null group by url) as looked`,
    ).get(...times))!
    return {
      pages: Number(row["pages"]),
      since: times.map((_, index) => Number(row[`since${index}`])),
      oldest: dateOrNull(row["oldest"]),
    }
  }

  /** Pages that the index holds, as far as crawls know. */
  async pages(): Promise<number> {
    return Number(
      (
        await this.#prepare("select count(distinct url) as n from known_address where hash is not null").get()
      )?.["n"],
    )
  }
}

function endingOf({ outcome, status = 0 }: Visited, hash: string | null): Ending {
  if (outcome === "indexed") return "changed"
  if (outcome === "unchanged") return "same"
  if (hash !== null) return "lost"
  const isRefusal = status >= 400 && status < 500
  return outcome === "postponed" || (isFailure(outcome) && !isRefusal) ? "failed" : "none"
}

function dateOf(header: string | null | undefined): number | null {
  const time = Date.parse(header ?? "")
  return Number.isNaN(time) ? null : time
}

function addressOf(row: Record<string, unknown>): KnownAddress {
  return {
    url: row["url"] as PageUrl,
    source: String(row["source"]),
    job: Number(row["job"]),
    outcome: row["outcome"] as OutcomeName,
    detail: row["detail"] as string | null,
    hash: row["hash"] as string | null,
    title: row["title"] as string | null,
    visitedAt: Number(row["visited_at"]),
    changedAt: row["changed_at"] as number | null,
    status: row["status"] as number | null,
    leadsTo: row["leads_to"] as PageUrl | null,
    depth: Number(row["depth"]),
    foundHow: row["found_how"] as FoundHow,
    foundOn: row["found_on"] as string | null,
    firstSeen: Number(row["first_seen"]),
    dueAt: Number(row["due_at"]),
    intervalMs: row["interval_ms"] as number | null,
    misses: Number(row["misses"]),
    validators: { etag: row["etag"] as string | null, lastModified: row["last_modified"] as string | null },
    copy: row["copy"] === null ? null : (JSON.parse(row["copy"] as string) as MarkdownCopy),
    readAs: row["read_as"] as string | null,
    listedIn: row["listed_in"] as string | null,
    modifiedAt: row["modified_at"] as number | null,
    publishedAt: row["published_at"] as number | null,
    isNews: row["news"] === 1,
  }
}
