import { type PageUrl, toPageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import { concealedEnd, concealedMessage } from "../../fetch/concealed.ts"
import type { Resolve } from "../../fetch/guard/address-guard.ts"
import { LoginError } from "../../fetch/login/login-error.ts"
import { membership } from "../../crawl/scope/scope.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { defineSource, type Login, type SourceSpec } from "../../source.ts"
import { openSourceReader } from "../../fetch/visit/source-reader.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"
import { PoliteVisits } from "./polite-visits.ts"
import { PAGES_SHOWN, spread, SURVEY_MS } from "./survey.ts"

export interface TrialOptions {
  readonly db: StateStore
  readonly config: CrawlerConfig
  readonly signal?: AbortSignal
  readonly resolve?: Resolve
}

/** The result of a trial: what an unsaved source would do. */
export interface Trial {
  /** The result of logging in; `null` if the source has no login. `error`: why the site refused the login; `null` if it didn't. */
  readonly login: { readonly kind: Login["kind"]; readonly error: string | null } | null
  /** Sample pages as they would be indexed. */
  readonly pages: readonly Tried[]
  readonly requests: number
  readonly tookMs: number
}

/**
 * Tries a source before it is saved: logs in, and reads its start and the pages it links to, as a run would. Makes a
 * dozen requests at most, like a look. Indexes nothing and stores nothing. For API callers, private addresses look like
 * unknown ones.
 * @throws Error, NetworkChangedError as {@link openSourceReader}; a failed login does not throw
 */
export async function trySource(spec: SourceSpec, options: TrialOptions): Promise<Trial> {
  const { db, config } = options
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(SURVEY_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const source = defineSource(spec)
  const took = () => Math.round(performance.now() - startedAt)
  const kind = source.login?.kind
  const opened = await openSourceReader(source, config, {
    db,
    author: "api",
    first: "public",
    resolve: options.resolve,
  }).catch((error: unknown) => {
    if (error instanceof LoginError) return error
    throw error
  })
  if (opened instanceof LoginError) {
    const login =
      kind === undefined ? null : { kind, error: concealedMessage(opened).replace(/^login: /, "") }
    return { login, pages: [], requests: 1, tookMs: took() }
  }
  await using reader = opened
  const obeys = source.politeness.robots ?? config.robots
  const visits = new PoliteVisits({ reader, config, obeys: () => obeys, signal })
  const [seed] = source.seeds as readonly PageUrl[]
  const pages: Tried[] = []
  const read = async (url: PageUrl) => {
    const tried = await visits.try(url, source)
    if (tried !== null) pages.push(concealedEnd(tried))
  }
  const looked = seed === undefined ? null : await visits.look(seed, source.rendering)
  const { url: landing, extracted } =
    looked?.visit.kind === "read" ? looked.visit.reading : { url: seed, extracted: null }
  const belongs = membership(source, new Map(seed && landing ? [[seed, landing]] : []))
  const linked = (extracted?.links ?? []).flatMap(({ url }) => toPageUrl(url) ?? []).filter(belongs)
  const others = [...new Set([...(source.seeds.slice(1) as PageUrl[]), ...linked])]
  for (const url of seed === undefined ? [] : [seed, ...spread(others, landing ?? seed)]) await read(url)
  return {
    login: kind === undefined ? null : { kind, error: null },
    pages: pages.slice(0, PAGES_SHOWN),
    requests: visits.requests,
    tookMs: took(),
  }
}
