import { KnownError } from "#base/errors.ts"
import type { PageUrl } from "#engine"
import type { Resolve } from "../../../fetch/guard/address-guard.ts"
import { NetworkChangedError } from "../../../fetch/guard/blocked-address.ts"
import type { CrawlerConfig } from "../../../settings.ts"
import type { Jobs } from "../../../jobs/jobs.ts"
import { KnownAddresses } from "../../../crawl/frontier/known-addresses.ts"
import { LoginError } from "../../../fetch/login/login-error.ts"
import { openSourceReader } from "../../../fetch/visit/source-reader.ts"
import type { Rendering } from "../../../source.ts"
import type { SourceTable } from "../../../sources/source-table.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { sourceFor } from "./source-for.ts"
import { type Tried, tryPage } from "./try-page.ts"

export interface TryAddressOptions {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly sources: SourceTable
  readonly config: CrawlerConfig
  /** Default: the source that the address belongs to, otherwise the defaults. */
  readonly source?: string | undefined
  /** Default: the source's setting. */
  readonly rendering?: Rendering | undefined
  /** Whether the operator entered the address: an address that belongs to no source may then be private. */
  readonly trusted: boolean
  readonly signal?: AbortSignal
  readonly resolve?: Resolve
}

/** Thrown if the pages of a source cannot be read now; the message says what to do. */
export class CannotReadError extends Error {}

/**
 * Reads an address with the settings of its source. Null when there is no source with the given name.
 * @throws CannotReadError when there is no browser, the login fails, or a folder is missing
 */
export async function tryAddress(url: PageUrl, options: TryAddressOptions): Promise<Tried | null> {
  const { db, config, rendering, trusted, signal } = options
  const chosen = await sourceFor(url, options.source, options)
  if (chosen === null) return null
  const source = rendering === undefined ? chosen.source : { ...chosen.source, rendering }
  const named = trusted ? "operator" : "api"
  await using reader = await openSourceReader(source, config, {
    db,
    author: chosen.isMadeUp ? named : await options.sources.authorOf(source.name),
    first: trusted ? "unkept" : "public",
    resolve: options.resolve,
  }).catch((error: unknown) => {
    const isPlain =
      error instanceof LoginError ||
      error instanceof KnownError ||
      error instanceof NetworkChangedError ||
      (error as Error).constructor === Error
    throw isPlain ? new CannotReadError((error as Error).message, { cause: (error as Error).cause }) : error
  })
  const known = new KnownAddresses(db)
  return await tryPage(url, {
    source,
    reader,
    config,
    lookUp: (other) => known.get(other),
    ...(signal && { signal }),
  })
}
