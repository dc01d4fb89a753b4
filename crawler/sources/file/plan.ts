import { addressesByHost, pageCounts, pagesOf } from "../../crawl/frontier/source-pages.ts"
import { mannersOf, type PaceConfig } from "../../fetch/hosts/manners.ts"
import { KnownError } from "#base/errors.ts"
import { contentOf } from "../../fetch/content/kinds.ts"
import { isDeepStrictEqual } from "node:util"
import { membership } from "../../crawl/scope/scope.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { BackupPlan } from "../../backup-plan.ts"
import { listNotesIn } from "../../job.ts"
import { JobRecords } from "../../jobs/job-records.ts"
import { landingsOf } from "../../jobs/landings.ts"
import {
  contentFieldsOf,
  defineSource,
  type Observer,
  type Source,
  type SourceAuthor,
  type SourceSpec,
} from "../../source.ts"
import { type FullCrawl, fullCrawl, machineMs } from "../crawl-time.ts"
import { openedTo } from "../readers/opened-to.ts"
import type { SourceEntry } from "../source-table.ts"
import type { Sources } from "../sources.ts"

/** Time limit for counting: longer than counting a folder of a hundred thousand files takes on a local disk. */
const COUNTING_MS = 15_000

/** A changed field, named like `limits.pages`. */
export interface FieldChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** The effect on one source of applying a file. */
export interface SourceChange {
  readonly name: string
  /** `taken-over`: the source was created over the admin API, and is managed by the file from now on. */
  readonly kind: "new" | "changed" | "taken-over" | "removed" | "unchanged"
  readonly fields: readonly FieldChange[]
  /** The number of the source's pages in the index. */
  readonly pages: number
  /** How many of these pages also belong to other sources. */
  readonly pagesShared: number
  /** How many of these pages would no longer belong to the source. */
  readonly pagesOutOfScope: number
  /** Set if the change makes the source's pages readable by everybody, or by everybody who is signed in: see `opened-to.ts`. */
  readonly opens?: NonNullable<ReturnType<typeof openedTo>>
  /** The last run's notes on sitemaps and feeds that could not be read in full. */
  readonly lists?: readonly string[]
  /** The cost of a run over the whole source; for new and changed sources. */
  readonly fullCrawl?: FullCrawl
}

/**
 * Estimates a full crawl from earlier runs of a source, and from the pace that the source and the settings allow on its
 * hosts; fetches nothing. The files of a folder are counted.
 */
export async function fullCrawlOf(
  db: StateStore,
  source: Source,
  author: SourceAuthor,
  config: PaceConfig,
): Promise<FullCrawl> {
  const known = (await pagesOfContent(db, source)) ?? (await addressesByHost(db, source.name))
  const origins = new Map(source.seeds.map((seed) => [new URL(seed).host, new URL(seed)]))
  for (const host of known.keys()) if (!origins.has(host)) origins.set(host, new URL(`https://${host}/`))
  const manners = mannersOf(source, author, config)
  const hosts = [...origins].map(([host, url]) => ({
    host,
    pages: known.get(host) ?? null,
    ...manners(url.href),
  }))
  return fullCrawl(source, hosts, config.fetchConcurrency, await machineMs(db))
}

/** How many pages of a source's content each host has, counted within a time limit; null for a website, or if nothing can be listed. */
async function pagesOfContent(db: StateStore, source: Source): Promise<Map<string, number> | null> {
  const content = await contentOf(source, { db })
  if (content === null) return null
  const inScope = membership(source, new Map())
  const onTrouble = () => Promise.resolve()
  let pages = 0
  try {
    await content.check()
    for await (const entries of content.list({ signal: AbortSignal.timeout(COUNTING_MS), onTrouble }))
      pages += entries.filter(({ url }) => inScope(url)).length
  } catch (error) {
    // The run will report the problem.
    if (error instanceof KnownError) return null
    throw error
  }
  return new Map([[new URL(source.seeds[0]!).host, pages]])
}

/** What {@link applySources} would do to each source, by name. Changes no source, but keeps the index of a counted mailbox for its first run. */
export async function planSources(
  db: StateStore,
  sources: Sources,
  specs: readonly (SourceSpec & { readonly name: string })[],
  config?: PaceConfig,
): Promise<SourceChange[]> {
  const wanted = new Map(specs.map((spec) => [spec.name, defineSource(spec)]))
  const jobs = new JobRecords(db)
  const changes: SourceChange[] = []
  // One source after another, because each can have many addresses.
  for (const source of wanted.values()) {
    const [last] = await jobs.list({ source: source.name, limit: 1 })
    const lists = listNotesIn(last?.note ?? null)
    const one = {
      ...(await change(db, source, await sources.get(source.name))),
      ...(lists.length > 0 && { lists }),
    }
    const whole =
      config && one.kind !== "unchanged" ? await fullCrawlOf(db, source, "operator", config) : null
    // If the content could not be counted, the estimate would only be the limit, which is meaningless.
    const isTold = whole !== null && (whole.areKnown || contentFieldsOf(source).length === 0)
    changes.push(isTold ? { ...one, fullCrawl: whole } : one)
  }
  for (const { source, origin } of await sources.list()) {
    if (origin !== "file" || wanted.has(source.name)) continue
    const { name } = source
    changes.push({ name, kind: "removed", fields: [], ...(await pageCounts(db, name)), pagesOutOfScope: 0 })
  }
  return changes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Makes the declared sources match a file. Sources created over the API stay as they are, unless the file declares them
 * too. A source that the file no longer declares is deleted; its pages are kept, unless `removePages` is set.
 */
export async function applySources(
  sources: Sources,
  specs: readonly SourceSpec[],
  { removePages = false }: { removePages?: boolean } = {},
): Promise<void> {
  const wanted = new Set(specs.map(({ name }) => name))
  for (const { source, origin } of await sources.list()) {
    if (origin === "file" && !wanted.has(source.name)) {
      await sources.delete(source.name, { origin: "file", removePages })
    }
  }
  for (const spec of specs) await sources.put(spec, "file")
}

async function change(db: StateStore, source: Source, old: SourceEntry | null): Promise<SourceChange> {
  const { name } = source
  if (!old) return { name, kind: "new", fields: [], ...(await pageCounts(db, name)), pagesOutOfScope: 0 }
  const fields = fieldChanges(old.source, source)
  const urls = await pagesOf(db, name)
  const landings = await landingsOf(db, name)
  const was = membership(old.source, landings)
  const is = membership(source, landings)
  const opens = openedTo(old.source.readers, source.readers)
  return {
    name,
    ...(opens !== null && { opens }),
    kind: old.origin === "api" ? "taken-over" : fields.length > 0 ? "changed" : "unchanged",
    fields,
    ...(await pageCounts(db, name)),
    pagesOutOfScope: fields.length > 0 ? urls.filter((url) => was(url) && !is(url)).length : 0,
  }
}

/** Fields in which two sources differ; secrets are not shown. */
export function fieldChanges(from: Source, to: Source): FieldChange[] {
  return [
    ...differences({ ...from, login: null, observers: [] }, { ...to, login: null, observers: [] }),
    ...(isDeepStrictEqual(from.login, to.login)
      ? []
      : [{ field: "login", from: kindOf(from.login), to: kindOf(to.login) }]),
    ...(isDeepStrictEqual(from.observers, to.observers)
      ? []
      : [{ field: "observers", from: from.observers.map(observerText), to: to.observers.map(observerText) }]),
  ]
}

function differences<T extends object>(from: T, to: T): FieldChange[] {
  return (Object.keys(to) as (keyof T & string)[]).flatMap((field): FieldChange[] => {
    const was: unknown = from[field]
    const is: unknown = to[field]
    if (isDeepStrictEqual(was, is)) return []
    if (!isGroup(was) || !isGroup(is)) return [{ field, from: was, to: is }]
    return Object.keys(is)
      .filter((key) => !isDeepStrictEqual(was[key], is[key]))
      .map((key) => ({ field: `${field}.${key}`, from: was[key], to: is[key] }))
  })
}

/** The effect on the scheduled backups of applying a file. */
export interface BackupChange {
  readonly kind: "new" | "changed" | "removed" | "unchanged"
  readonly fields: readonly FieldChange[]
}

/** Null if there are no scheduled backups, now or before. */
export function planBackup(old: BackupPlan | null, wanted: BackupPlan | null): BackupChange | null {
  if (wanted === null) return old && { kind: "removed", fields: [] }
  if (old === null) return { kind: "new", fields: [] }
  const fields = differences(old, wanted)
  return { kind: fields.length > 0 ? "changed" : "unchanged", fields }
}

const kindOf = (login: Source["login"]): string | null => login && `${login.kind} (values not shown)`

const observerText = ({ name, login, readers }: Observer): string =>
  `${name}, login ${typeof login === "string" ? login : kindOf(login)}, for ${readers === "everybody" ? readers : readers.allow.join(", ")}`

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
