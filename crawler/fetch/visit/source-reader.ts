import { environment } from "#base/settings.ts"
import type { Resolve } from "../guard/address-guard.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { tlsOf } from "../connect/source-tls.ts"
import { SourceLogin } from "../login/source-login.ts"
import { PageReader, type ReaderOptions } from "./reader.ts"
import { contentOf } from "../content/kinds.ts"
import { guardedUrl } from "../content/mailbox/imap/mail-server.ts"
import { requireBrowser } from "../render/find-browser.ts"
import { SourceHosts, type SourceHostsOptions } from "../guard/source-hosts.ts"
import { openedTo } from "../guard/opened-networks.ts"
import { PinnedNetworks } from "../guard/pinned-networks.ts"
import { landingsOf } from "../../jobs/landings.ts"
import { contentFieldsOf, type Source, type SourceAuthor } from "../../source.ts"
import type { StateStore } from "#base/store/state-store.ts"

export interface SourceReaderOptions
  extends Pick<SourceHostsOptions, "first" | "onMoved">, Pick<ReaderOptions, "places" | "purpose"> {
  readonly db: StateStore
  readonly author: SourceAuthor
  /** Where to look up secrets that the login names as `${NAME}`. Default: the process's environment, with `fossick.env` as the fallback. */
  readonly env?: NodeJS.ProcessEnv
  readonly resolve?: Resolve | undefined
  /** Aborts the opening of content if it takes too long. */
  readonly signal?: AbortSignal
}

/**
 * Creates the reader for a source's runs. It may reach all addresses that the source may reach, and is logged in if the
 * source has a login. The caller closes it.
 * @throws NetworkChangedError when a host of the source has moved to another network.
 * @throws LoginError when the site refuses the login.
 * @throws KnownError when the pages come from content that cannot be read.
 * @throws Error when all pages are to be read in a browser and there is none.
 */
export async function openSourceReader(
  source: Source,
  config: CrawlerConfig,
  options: SourceReaderOptions,
): Promise<PageReader> {
  const { rendering, login } = source
  const { env = environment() } = options
  if (rendering === "browser") await requireBrowser(config.browserPath)
  const content = await contentOf(source, { db: options.db })
  const reader = new PageReader(config, {
    content,
    ...(await reachOf(source, config, { ...options, env })),
    rendering,
    places: options.places,
    purpose: options.purpose,
    ...(login && { login: new SourceLogin({ source: { seeds: source.seeds, login }, env }) }),
  })
  try {
    if (content === null) {
      await reader.checkHosts()
      await reader.logIn()
    } else await reader.openContent(options.signal)
    return reader
  } catch (error) {
    await reader[Symbol.asyncDispose]()
    throw error
  }
}

/** Where requests for the source start: at its repository or mail server if it has one, since nothing is fetched from the addresses of such pages. */
function startsOf(source: Source): readonly string[] {
  const { repository, mailbox } = source
  const [field] = contentFieldsOf(source)
  if (field === "repository" && URL.canParse(repository!.url)) return [repository!.url]
  return field === "mailbox" && typeof mailbox === "object" ? [guardedUrl(mailbox!).href] : source.seeds
}

/**
 * The addresses that requests for a source may reach, besides public ones and `FOSSICK_ALLOWED_NETWORKS`. A source that
 * the operator wrote may open networks and start at a private host; a source declared over the API may reach the
 * networks that admins opened.
 */
export async function reachOf(
  source: Source,
  config: Pick<CrawlerConfig, "adminNetworks">,
  { db, author, first, onMoved, resolve, env = environment() }: SourceReaderOptions,
): Promise<Pick<ReaderOptions, "allow" | "opened" | "hosts" | "resolve" | "tls">> {
  const landed = await landingsOf(db, source.name)
  const landings = source.seeds.flatMap((seed) => landed.get(seed) ?? [])
  return {
    allow: author === "operator" ? source.allowedNetworks : [],
    opened: author === "api" ? await openedTo(config, db) : [],
    hosts: new SourceHosts({
      source: { name: source.name, seeds: startsOf(source) },
      author,
      landings,
      pins: new PinnedNetworks(db),
      first,
      onMoved,
    }),
    resolve,
    // A job that was created before these fields existed does not have them.
    tls: tlsOf(
      {
        ...source,
        caFile: author === "operator" ? (source.caFile ?? null) : null,
        clientCert: source.clientCert ?? null,
      },
      env,
    ),
  }
}
