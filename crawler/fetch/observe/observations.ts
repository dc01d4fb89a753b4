import { hash } from "node:crypto"
import type { PageUrl } from "#engine"
import { EVERYBODY, NOBODY, type Readers, readersOf } from "#engine/index/page/readers.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Observer, Source } from "../../source.ts"
import { migrateObservations, type ObservationTables } from "./observation-schema.ts"

/** The result of an observer's last visit to a page. */
export interface Observation {
  readonly observer: string
  /** Identifies the observer's login, so that another login doesn't inherit its observations. */
  readonly identity: string
  readonly shown: boolean
  /** Why the page was shown or not shown, in words. */
  readonly reason: string
  /** Digest of the text that the page was compared with. */
  readonly text: string
  readonly at: number
}

/** The parts of a source that decide who may read its pages. */
export type ObservedSource = Pick<Source, "name"> & Partial<Pick<Source, "observers" | "observersMaxAgeDays">>

const DAY_MS = 24 * 3_600_000

/** The observers of a source. The field may be missing, because the job may have been created before the field existed. */
export const observersOf = ({ observers = [] }: Partial<Pick<Source, "observers">>): readonly Observer[] =>
  observers

/** The observers with a session of their own; `same` uses the source's session. */
export const lookersOf = (source: ObservedSource): readonly Observer[] =>
  observersOf(source).filter(({ login }) => login !== "same")

/** A digest that identifies an observer's login; secrets are included by name only. */
export const identityOf = ({ login }: Observer): string =>
  hash("sha256", JSON.stringify(login), "base64url").slice(0, 16)

/** Observations made at or before this time have expired. */
export const countsFrom = ({ observersMaxAgeDays = 7 }: ObservedSource, now: number): number =>
  now - observersMaxAgeDays * DAY_MS

/** The readers of a page: the combined readers of all observers that the page was shown to. */
export function learnedReaders(
  source: ObservedSource,
  looks: readonly Pick<Observation, "observer" | "shown">[],
): Readers {
  const shownTo = new Set(looks.filter(({ shown }) => shown).map(({ observer }) => observer))
  const seeing = observersOf(source).filter(({ name, login }) => login === "same" || shownTo.has(name))
  if (seeing.some(({ readers }) => readers === "everybody")) return EVERYBODY
  const allow = seeing.flatMap(({ readers }) => (readers === "everybody" ? [] : readers.allow))
  return allow.length === 0 ? NOBODY : readersOf({ allow })
}

/** The observations of one source, in `state.db`. */
export class Observations {
  readonly #queries: Queries<ObservationTables>
  readonly #source: ObservedSource

  constructor(db: StateStore, source: ObservedSource) {
    migrateObservations(db)
    this.#queries = queriesOf(db)
    this.#source = source
  }

  /** The observations of a page, by observer. Observations of an earlier login with the same name are left out. */
  async of(url: PageUrl): Promise<ReadonlyMap<string, Observation>> {
    const all = await this.#ofPage(url)
    const identities = new Map(lookersOf(this.#source).map((one) => [one.name, identityOf(one)]))
    return new Map(
      all
        .filter(({ observer, identity }) => identities.get(observer) === identity)
        .map((row) => [row.observer, row]),
    )
  }

  async keep(url: PageUrl, rows: readonly Observation[]): Promise<void> {
    if (rows.length === 0) return
    await this.#queries
      .insertInto("observation")
      .values(rows.map((row) => ({ ...row, source: this.#source.name, url, shown: row.shown ? 1 : 0 })))
      .onConflict((conflict) =>
        conflict.columns(["source", "url", "observer"]).doUpdateSet((eb) => ({
          identity: eb.ref("excluded.identity"),
          shown: eb.ref("excluded.shown"),
          reason: eb.ref("excluded.reason"),
          text: eb.ref("excluded.text"),
          at: eb.ref("excluded.at"),
        })),
      )
      .execute()
  }

  /** Up to `limit` addresses with observations, in order, starting after `after`. */
  async pages(after: string, limit: number): Promise<PageUrl[]> {
    const rows = await this.#queries
      .selectFrom("observation")
      .select("url")
      .distinct()
      .where("source", "=", this.#source.name)
      .where("url", ">", after as PageUrl)
      .orderBy("url")
      .limit(limit)
      .execute()
    return rows.map(({ url }) => url)
  }

  /** Returns the pages that have no observation, or have an observation from `from` or earlier in which the page was shown. */
  async unseenAmong(urls: readonly PageUrl[], from: number): Promise<PageUrl[]> {
    const rows = await this.#queries
      .selectFrom("observation")
      .select(["url", "shown", "at"])
      .where("source", "=", this.#source.name)
      .where("url", "in", listed(urls))
      .execute()
    const looks = Map.groupBy(rows, ({ url }) => url)
    return urls.filter((url) => looks.get(url)?.some(({ shown, at }) => shown === 1 && at <= from) ?? true)
  }

  async forget(urls: readonly PageUrl[]): Promise<void> {
    await this.#queries
      .deleteFrom("observation")
      .where("source", "=", this.#source.name)
      .where("url", "in", listed(urls))
      .execute()
  }

  /** Deletes the observations of observers that the source no longer has, or that now log in differently. */
  async forgetOthers(): Promise<void> {
    const lookers = lookersOf(this.#source)
    await this.#queries
      .deleteFrom("observation")
      .where("source", "=", this.#source.name)
      .where((eb) =>
        eb.not(eb.or(lookers.map((one) => eb.and({ observer: one.name, identity: identityOf(one) })))),
      )
      .execute()
  }

  async #ofPage(url: PageUrl): Promise<Observation[]> {
    const rows = await this.#queries
      .selectFrom("observation")
      .select(["observer", "identity", "shown", "reason", "text", "at"])
      .where((eb) => eb.and({ source: this.#source.name, url }))
      .orderBy("observer")
      .execute()
    return rows.map((row) => ({ ...row, shown: row.shown === 1 }))
  }
}

/** The observations of a page from all sources, to explain its readers. The table may be missing from the state. */
export async function observationsOf(
  db: StateStore,
  url: PageUrl,
): Promise<readonly (Omit<Observation, "identity" | "text"> & { readonly source: string })[]> {
  if (!(await hasTable(db, "observation"))) return []
  const rows = await queriesOf<ObservationTables>(db)
    .selectFrom("observation")
    .select(["source", "observer", "shown", "reason", "at"])
    .where("url", "=", url)
    .orderBy("source")
    .orderBy("observer")
    .execute()
  return rows.map((row) => ({ ...row, shown: row.shown === 1 }))
}
