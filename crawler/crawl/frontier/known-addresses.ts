import {
  type Expression,
  expressionBuilder,
  type Selectable,
  type Selection,
  sql,
  type SqlBool,
} from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { greater, lesser } from "#base/store/query/words.ts"
import { type FoundHow, type FrontierTables, migrateFrontier } from "./frontier-schema.ts"
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
import { type StateStore, transaction } from "#base/store/state-store.ts"

/** A sitemap's or feed's statements about a page, besides its address. Times are milliseconds since 1970. */
export interface ListedFacts {
  readonly modifiedAt: number | null
  readonly publishedAt: number | null
  /** Whether it is listed as news, by a news sitemap or a feed that calls itself news. */
  readonly isNews: boolean
}

/** How an address was found, and the facts stated about it. */
export interface Found extends ListedFacts {
  /** Number of link steps from a seed. */
  readonly depth: number
  /** `null` for an address left over from an earlier run; its earlier record is kept. */
  readonly how: FoundHow | null
  /** The page, sitemap or feed that named it. */
  readonly on: string | null
  /** The sitemap that lists it. */
  readonly listedIn: string | null
}

/** The defaults for an address about which nothing else is known. */
export const FOUND_SOMEHOW: Found = {
  depth: 1,
  how: null,
  on: null,
  listedIn: null,
  modifiedAt: null,
  publishedAt: null,
  isNews: false,
}

/** What a source learned about an address from a visit. */
export interface Visited {
  readonly url: PageUrl
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** Hash of the page as indexed; `null` if the index no longer holds one; left out if the earlier value stays. */
  readonly hash?: string | null
  /** Title of the page as indexed; left out if the earlier value stays. */
  readonly title?: string
  /** HTTP status of an answer that was an error. */
  readonly status?: number | undefined
  /** The address that its redirect or canonical names. */
  readonly leadsTo?: PageUrl | undefined
  /** Validators of the answer the page was made from; left out if earlier values stay. */
  readonly validators?: Validators
  /** How the page was read (read-as.ts); left out if the earlier value stays. */
  readonly readAs?: string
  /** Its markdown copy; `null` if it has none. If left out, the earlier record stays. */
  readonly copy?: MarkdownCopy | null
  /** The page's links, packed; `null` if there are too many to keep; left out if the page was not read. */
  readonly links?: Uint8Array | null
  /** How the address was found, if the frontier does not contain it. */
  readonly found?: Found
}

/** Everything that one source knows about an address. Times are milliseconds since 1970; `null` means never. */
export interface KnownAddress extends ListedFacts {
  readonly url: PageUrl
  /** Name of the source that has this record. */
  readonly source: string
  /** The job that visited it last. */
  readonly job: number
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** Hash of the page in the index; `null` if the index does not contain it. */
  readonly hash: string | null
  /** Title from when the page was last indexed; `null` if it never was. */
  readonly title: string | null
  readonly visitedAt: number
  readonly changedAt: number | null
  /** HTTP status of the last visit, if that ended with an error from the site. */
  readonly status: number | null
  /** The address that a redirect or canonical named at the last visit. */
  readonly leadsTo: PageUrl | null
  /** Number of link steps from a seed. */
  readonly depth: number
  readonly foundHow: FoundHow
  readonly foundOn: string | null
  readonly firstSeen: number
  /** The time before which a run with visits "due" does not visit the address. */
  readonly dueAt: number
  /** Time from a visit that found a page to the next, in milliseconds; `null` before the first visit. */
  readonly intervalMs: number | null
  /** Number of visits in a row that found no page. */
  readonly misses: number
  readonly validators: Validators
  readonly copy: MarkdownCopy | null
  readonly readAs: string | null
  /** The sitemap that lists it. */
  readonly listedIn: string | null
}

/** The position in a pass through the addresses of a source. */
export interface KnownCursor {
  readonly dueAt: number
  readonly url: string
}

export interface KnownChunk {
  readonly addresses: readonly KnownAddress[]
  /** `null` if there are no more. */
  readonly next: KnownCursor | null
}

const CHUNK = 1000
/** After this many visits in a row without a page, an address has been tried for at least a month, unless something still led there. */
export const VAIN_VISITS = 6
const HOUR_MS = 3_600_000

/** Columns of a {@link KnownAddress}. */
const ADDRESS = [
  "url",
  "source",
  "job",
  "outcome",
  "detail",
  "hash",
  "title",
  "visited_at as visitedAt",
  "changed_at as changedAt",
  "status",
  "leads_to as leadsTo",
  "depth",
  "found_how as foundHow",
  "found_on as foundOn",
  "first_seen as firstSeen",
  "due_at as dueAt",
  "interval_ms as intervalMs",
  "misses",
  "etag",
  "last_modified as lastModified",
  "copy",
  "read_as as readAs",
  "listed_in as listedIn",
  "modified_at as modifiedAt",
  "published_at as publishedAt",
  "news",
] as const

const address = expressionBuilder<FrontierTables, "known_address">()
const addresses = (q: Queries<FrontierTables>) => q.selectFrom("known_address").select(ADDRESS)

const byKey = once((q: Queries<FrontierTables>, { url, source }: { url: PageUrl; source: string }) =>
  addresses(q).where("url", "=", url).where("source", "=", source),
)

const byUrl = once((q: Queries<FrontierTables>, { url }: { url: PageUrl }) =>
  addresses(q)
    .where("url", "=", url)
    .orderBy((eb) => eb("hash", "is", null))
    .orderBy("visited_at", "desc")
    .orderBy("source"),
)

const nextDue = once(
  (
    q: Queries<FrontierTables>,
    after: { source: string; job: number; until: number; dueAt: number; url: string },
  ) =>
    addresses(q)
      .where("source", "=", after.source)
      .where("due_at", "<=", after.until)
      .where((eb) => eb(eb.refTuple("due_at", "url"), ">", eb.tuple(after.dueAt, after.url as PageUrl)))
      .where("job", "<>", after.job)
      .orderBy("due_at")
      .orderBy("url")
      .limit(CHUNK),
)

type KnownRow = Selectable<FrontierTables["known_address"]>
const COLUMNS = [
  ...ADDRESS.map((column) => column.split(" ")[0]),
  "listed_job",
] as readonly (keyof KnownRow)[]
const KEPT: ReadonlySet<keyof KnownRow> = new Set([
  "url",
  "source",
  "title",
  "found_how",
  "found_on",
  "first_seen",
  "listed_in",
  "listed_job",
])
/** Columns that every visit overwrites. */
const ANEW = COLUMNS.filter((column) => !KEPT.has(column))

const keep = once((q: Queries<FrontierTables>, row: KnownRow) =>
  q
    .insertInto("known_address")
    .values(Object.fromEntries(COLUMNS.map((column) => [column, row[column]])) as typeof row)
    .onConflict((conflict) =>
      conflict.columns(["url", "source"]).doUpdateSet((eb) => ({
        ...Object.fromEntries(ANEW.map((column) => [column, eb.ref(`excluded.${column}`)])),
        title: eb.fn.coalesce("excluded.title", "known_address.title"),
        listed_job: sql`case when excluded.listed_in is null then known_address.listed_job else excluded.job end`,
        listed_in: eb.fn.coalesce("excluded.listed_in", "known_address.listed_in"),
      })),
    ),
)

type ListedRow = Pick<KnownRow, "listed_in" | "modified_at" | "published_at" | "news">

/**
 * Values for an update of `known_address` or `crawl_url`: values that a list states replace the known ones, the others
 * stay.
 */
export const listedFacts = ({ listed_in, modified_at, published_at, news }: ListedRow) => ({
  listed_in: address.fn.coalesce(address.val(listed_in), "listed_in"),
  modified_at: address.fn.coalesce(address.val(modified_at), "modified_at"),
  published_at: address.fn.coalesce(address.val(published_at), "published_at"),
  news: greater(address.ref("news"), address.val(news)),
})

const list = once(
  (q: Queries<FrontierTables>, row: ListedRow & Pick<KnownRow, "url" | "source" | "listed_job">) =>
    q
      .updateTable("known_address")
      .set(listedFacts(row))
      .set((eb) => ({ listed_job: eb.fn.coalesce(eb.val(row.listed_job), "listed_job") }))
      .where("url", "=", row.url)
      .where("source", "=", row.source),
)

const setHash = once(
  (
    q: Queries<FrontierTables>,
    { url, source, hash, now }: { url: PageUrl; source: string; hash: string | null; now: number },
  ) =>
    q
      .updateTable("known_address")
      .set({ hash, changed_at: now })
      .where((eb) => eb.and({ url, source })),
)

/**
 * What each source's crawls know about the addresses they visited, in `state.db`: the memory between runs. Where
 * sources overlap, each has its own record of an address, so that the findings of one are not used as evidence for
 * another. A frontier belongs to one job and is emptied after it.
 */
export class KnownAddresses {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #links: PageLinks

  constructor(db: StateStore, clock: Clock = Date.now) {
    migrateFrontier(db)
    this.#db = db
    this.#links = new PageLinks(db)
    this.#clock = clock
  }

  /** The time used to decide what is due. */
  now(): number {
    return this.#clock()
  }

  /** Stores how visits ended, and when to visit each address again. Runs in the caller's transaction. */
  async record({ id, source }: Pick<Job, "id" | "source">, visits: readonly Visited[]): Promise<void> {
    const now = this.#clock()
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
      await keep.run(this.#db, {
        url,
        source: source.name,
        job: id,
        outcome,
        detail,
        visited_at: now,
        hash,
        changed_at: hash === (before?.hash ?? null) ? (before?.changedAt ?? null) : now,
        title: visit.title ?? null,
        status: visit.status ?? null,
        leads_to: visit.leadsTo ?? null,
        depth: before && found.how === null ? before.depth : found.depth,
        found_how: found.how ?? "link",
        found_on: found.on,
        first_seen: now,
        etag: validators?.etag ?? null,
        last_modified: validators?.lastModified ?? null,
        read_as: visit.readAs ?? before?.readAs ?? null,
        misses,
        interval_ms: intervalMs,
        due_at: dueAt,
        listed_in: found.listedIn,
        listed_job: id,
        modified_at: modifiedAt,
        published_at: found.publishedAt ?? before?.publishedAt ?? null,
        news: found.isNews || before?.isNews ? 1 : 0,
        copy: copy && JSON.stringify(copy),
      })
      // Missing pages have no links.
      const links = isMissing(visit.status) ? null : visit.links
      if (links !== undefined) await this.#links.keep(source.name, url, links)
    }
  }

  /** The links of a page of the source when it was last read, or `null` if they are not known. */
  async linksOf(source: string, url: PageUrl): Promise<string[] | null> {
    return await this.#links.get(source, url)
  }

  /** Whether {@link linksOf} has an answer. */
  async hasLinksOf(source: string, url: PageUrl): Promise<boolean> {
    return await this.#links.has(source, url)
  }

  /**
   * What a source knows about an address, or `null`. Without a source's name, the record of the best-informed source:
   * one for which the index holds the page comes first, then the one with the latest visit.
   */
  async get(url: PageUrl, source?: string): Promise<KnownAddress | null> {
    if (source === undefined) return (await this.all(url))[0] ?? null
    const row = await byKey.get(this.#db, { url, source })
    return row ? addressOf(row) : null
  }

  /** What each source that found an address knows about it, the best-informed source first. */
  async all(url: PageUrl): Promise<KnownAddress[]> {
    return (await byUrl.all(this.#db, { url })).map(addressOf)
  }

  /**
   * The addresses of a source that `job` did not visit, longest overdue first, one batch at a time. `until`: only
   * addresses due by then.
   */
  async chunk(source: string, job: number, until: number, after: KnownCursor | null): Promise<KnownChunk> {
    const { dueAt, url } = after ?? { dueAt: -1, url: "" }
    const addresses = (await nextDue.all(this.#db, { source, job, until, dueAt, url })).map(addressOf)
    const last = addresses.length === CHUNK ? addresses.at(-1) : undefined
    return { addresses, next: last ? { dueAt: last.dueAt, url: last.url } : null }
  }

  /**
   * Makes an address of a source due, to be read in full even if its validators or its copy match: it will be among the
   * next run's first visits. @returns whether the source knows it
   */
  async makeDue(url: PageUrl, source: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#update()
      .set({ due_at: 0, etag: null, last_modified: null, copy: null })
      .where((eb) => eb.and({ url, source }))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /**
   * Makes addresses due that were visited while the clock was ahead, so that none waits longer than the longest
   * interval.
   */
  async heal({ name, revisit }: Pick<Source, "name" | "revisit">): Promise<void> {
    const now = this.#clock()
    const longest = Math.max(revisit.minHours, revisit.maxHours) * HOUR_MS
    await this.#update()
      .set({ due_at: now })
      .where("source", "=", name)
      .where("due_at", ">", now + longest)
      .execute()
  }

  /**
   * Stores the facts that a sitemap or feed states about an address, and that it is still listed. Runs in the caller's
   * transaction. @returns the record from before, or `null`.
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
    await list.run(this.#db, {
      url,
      source,
      listed_in: listedIn,
      listed_job: listedIn === null ? null : job,
      modified_at: facts.modifiedAt,
      published_at: facts.publishedAt,
      news: facts.isNews ? 1 : 0,
    })
    return known
  }

  /** Finds addresses of a source that are no longer in a sitemap that `job` has read to its end, and makes them due now. */
  async unlisted(source: string, sitemap: string, job: number): Promise<readonly KnownAddress[]> {
    const isUnlisted = address.and([
      address("listed_in", "=", sitemap),
      address("listed_job", "<>", job),
      address("source", "=", source),
    ])
    const gone = (await addresses(this.#queries).where(isUnlisted).execute()).map(addressOf)
    if (gone.length > 0) {
      await this.#update()
        .set((eb) => ({
          listed_in: null,
          modified_at: null,
          due_at: lesser(eb.ref("due_at"), eb.val(this.#clock())),
        }))
        .where(isUnlisted)
        .execute()
    }
    return gone
  }

  /** Hash under which a source indexed the page, or `null`; without a source's name, the hash under which any source indexed it. */
  async hashOf(url: PageUrl, source?: string): Promise<string | null> {
    return (await this.get(url, source))?.hash ?? null
  }

  /** Records that the index now holds the page for a source or, if `hash` is `null`, that it no longer does. Runs in the caller's transaction. */
  async setHash(url: PageUrl, source: string, hash: string | null): Promise<void> {
    await setHash.run(this.#db, { url, source, hash, now: this.#clock() })
  }

  /** Some addresses of a source: both pages that the index holds, and others. */
  async some(source: string, limit: number): Promise<Pick<KnownAddress, "url" | "hash">[]> {
    return await this.#queries
      .selectFrom("known_address")
      .select(["url", "hash"])
      .where("source", "=", source)
      .limit(limit)
      .execute()
  }

  /** Forgets everything that a source knows about an address. Runs in the caller's transaction. */
  async forget(url: PageUrl, source: string): Promise<void> {
    await this.#queries
      .deleteFrom("known_address")
      .where((eb) => eb.and({ url, source }))
      .execute()
    await this.#links.keep(source, url, null)
  }

  /**
   * Forgets addresses at which repeated visits found nothing, unless a sitemap lists them: a site whose pages come and
   * go would otherwise leave an address for each page that it ever had. If a source later finds a link to a forgotten
   * address, that source visits it like a new one.
   *
   * @param isSpared whether to keep an address of a source anyway
   * @returns how many there were
   */
  async forgetDead(
    isSpared: (url: Expression<PageUrl>, source: Expression<string>) => Expression<SqlBool> = () =>
      sql.lit(false),
  ): Promise<number> {
    const some = this.#queries
      .selectFrom("known_address")
      .select(["url", "source"])
      .where("hash", "is", null)
      .where("status", "in", [404, 410])
      .where("misses", ">=", VAIN_VISITS)
      .where("listed_in", "is", null)
      .where((eb) => eb.not(eb.parens(isSpared(eb.ref("known_address.url"), eb.ref("known_address.source")))))
      .orderBy("url")
      .orderBy("source")
      .limit(CHUNK)
    let forgotten = 0
    for (let last = { url: "", source: "" }; ;) {
      const { url: after, source: by } = last
      const dead = await some
        .where((eb) => eb(eb.refTuple("url", "source"), ">", eb.tuple(after as PageUrl, by)))
        .execute()
      if (dead.length === 0) return forgotten
      await transaction(this.#db, async () => {
        for (const { url, source } of dead) await this.forget(url, source)
      })
      forgotten += dead.length
      last = dead.at(-1)!
    }
  }

  /** Pages by when a crawl last visited them: how many after each of these times, how many in total, and the oldest visit. */
  async lookedAtSince(times: readonly number[]): Promise<{
    readonly pages: number
    readonly since: readonly number[]
    readonly oldest: Date | null
  }> {
    const looked = this.#queries
      .selectFrom("known_address")
      .select((eb) => eb.fn.max("visited_at").as("at"))
      .where("hash", "is not", null)
      .groupBy("url")
    const row = await this.#queries
      .selectFrom(looked.as("looked"))
      .select((eb) => [eb.fn.countAll<number>().as("pages"), eb.fn.min<number | null>("at").as("oldest")])
      .select((eb) =>
        times.map((time, index) => eb.fn.countAll<number>().filterWhere("at", ">", time).as(`since${index}`)),
      )
      .executeTakeFirstOrThrow()
    return {
      pages: row.pages,
      since: times.map((_, index) => row[`since${index}`]!),
      oldest: dateOrNull(row.oldest),
    }
  }

  /** Number of pages that the index holds, according to the crawls' records. */
  async pages(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("known_address")
      .select((eb) => eb.fn.count<number>("url").distinct().as("n"))
      .where("hash", "is not", null)
      .executeTakeFirstOrThrow()
    return n
  }

  #update() {
    return this.#queries.updateTable("known_address")
  }

  get #queries(): Queries<FrontierTables> {
    return queriesOf(this.#db)
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

type AddressRow = Selection<FrontierTables, "known_address", (typeof ADDRESS)[number]>

function addressOf(row: AddressRow): KnownAddress {
  const { etag, lastModified, news, ...address } = row
  const copy = row.copy === null ? null : (JSON.parse(row.copy) as MarkdownCopy)
  // Each visit calls this several times, and a second copy of so many fields takes 2 µs.
  return Object.assign(address, { copy, validators: { etag, lastModified }, isNews: news === 1 })
}
