import { pino } from "pino"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { createReader, crawlerSettings, Jobs, Sources } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { runSource, shareOfRuns } from "#crawler/testing/run-source.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import type { Engine } from "#engine"
import { aPage } from "#engine/testing/pages.ts"
import { openAccounts } from "../../api/identity/accounts/accounts.ts"
import { type KeyScope, readScope } from "../../api/identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../api/identity/accounts/reach/source-sites.ts"
import { openPageKnowledge } from "../../api/services/pages/page-knowledge.ts"
import { apiSettings } from "../../api/settings.ts"
import { type ServedAccounts, serveAccounts } from "../../api/testing/serve-accounts.ts"
import { openWatches } from "../../api/services/watches/open-watches.ts"
import type { Chance } from "#base/testing/chance.ts"

/** A page in which each part contains a word that appears nowhere else. */
export interface SecretPage {
  readonly number: number
  readonly url: string
  readonly host: string
  readonly port: number
  readonly sources: readonly string[]
  /** The subject of questions: it is in the page's text, and in answers that repeat the question. */
  readonly asked: string
  /** A word in the page's address. */
  readonly inAddress: string
  /** A word that appears in the page's title, text, facts and images, but in no question: anyone who is shown it has seen the page. */
  readonly proof: string
  /** Whether the page can also be read live. */
  readonly isLive: boolean
}

export interface SomeKey {
  readonly key: string
  readonly scope: KeyScope
  /** Numbers of the visible pages, by the naive oracle. */
  readonly sees: ReadonlySet<number>
}

export interface World extends AsyncDisposable {
  readonly app: ServedAccounts
  readonly site: TestSite
  readonly pages: readonly SecretPage[]
  readonly keys: readonly SomeKey[]
  /** Gives every page of the site new content and crawls it again. */
  changeAll(): Promise<void>
}

export const SOURCES = ["s0", "s1", "s2", "s3", "s4", "s5"]
/** Hosts of the pages that are added directly to the index, each with the registrable domain that covers it. */
export const HOSTS: readonly (readonly [host: string, domain: string | null])[] = [
  ["example.com", "example.com"],
  ["docs.example.com", "example.com"],
  ["deep.docs.example.com", "example.com"],
  ["notexample.com", "notexample.com"],
  ["example.co.uk", "example.co.uk"],
  ["other.co.uk", "other.co.uk"],
  ["xn--bcher-kva.example.org", "example.org"],
  ["example.org:8443", "example.org"],
  ["example.org", "example.org"],
  ["192.0.2.7", null],
]
const NAMES = [
  "example.com",
  "docs.example.com",
  "notexample.com",
  "example.co.uk",
  "bücher.example.org",
  "example.org",
  "example.org:8443",
  "192.0.2.7",
  "127.0.0.1",
  "example.net",
]
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  c0: ["s0", "s1"],
  c1: ["s2"],
  c2: ["s5", "s1"],
  gone: [],
}

export const word = (kind: string, number: number): string =>
  `z${kind}${String(number)
    .padStart(4, "0")
    .replace(/\d/g, (digit) => "bcdfghjklm"[Number(digit)]!)}q`
/** All words of this kind in a text. */
export const wordsIn = (text: string, kind: "prf" | "adr"): string[] =>
  [...text.matchAll(new RegExp(`z${kind}[b-m]{4}q`, "g"))].map(([one]) => one)

/** @param livePages number of live pages in each source @param keys number of keys */
export async function openWorld(random: Chance, livePages: number, keys: number): Promise<World> {
  const opened = new AsyncDisposableStack()
  const folder = await openDataFolder(opened)
  const { db, engine } = folder
  const site = opened.use(await startTestSite({}))
  const pages = secretPages(random, livePages, site)
  serve(site, pages, random, 0)
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  for (const name of SOURCES)
    await sources.put({ name, seeds: [site.url(`/${name}/`)], scope: "prefix", removal: { maxShare: 1 } })
  const share = opened.use(shareOfRuns())
  const crawl = async () => {
    // oxlint-disable-next-line no-await-in-loop -- one index takes one writer
    for (const name of SOURCES) await runSource(name, db, engine, share)
  }
  await crawl()
  await engine.index(pages.filter(({ isLive }) => !isLive).map(storedPage))
  await engine.settled()
  const app = await openApp(opened, folder, site)
  const made = await Promise.all(
    Array.from({ length: keys }, async (_, at): Promise<SomeKey> => {
      const scope = at === 0 ? readScope({}) : someScope(random, site)
      const sees = new Set(pages.filter((page) => naive(scope, page)).map(({ number }) => number))
      return { key: await app.key({ scope }), scope, sees }
    }),
  )
  let version = 0
  return {
    app,
    site,
    pages,
    keys: made,
    async changeAll() {
      serve(site, pages, random, ++version)
      await crawl()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Pages of the site, and pages that are in the index only. */
function secretPages(random: Chance, livePages: number, site: TestSite): readonly SecretPage[] {
  const pages: SecretPage[] = []
  const add = (url: (address: string) => string, sources: readonly string[], isLive: boolean) => {
    const number = pages.length
    const names = { asked: word("ask", number), inAddress: word("adr", number), proof: word("prf", number) }
    const address = new URL(url(names.inAddress))
    const { hostname: host, port, protocol } = address
    const known = Number(port) || (protocol === "https:" ? 443 : 80)
    pages.push({ number, url: address.href, host, port: known, sources, isLive, ...names })
  }
  for (const source of SOURCES)
    for (let left = livePages; left > 0; left--) add((one) => site.url(`/${source}/${one}`), [source], true)
  for (let at = 0; at < HOSTS.length * 5; at++) {
    const [host] = HOSTS[at % HOSTS.length]!
    add((one) => `https://${host}/${one}`, random.some(SOURCES, 1 + random.below(2)), false)
  }
  return pages
}

/** Serves one version of the pages. */
function serve(site: TestSite, pages: readonly SecretPage[], random: Chance, version: number): void {
  const live = pages.filter(({ isLive }) => isLive)
  site.serve(
    Object.fromEntries([
      ...SOURCES.map((source) => [
        `/${source}/`,
        listing(live.filter(({ sources }) => sources.includes(source))),
      ]),
      // Each page links to others, which a key may not see.
      ...live.map((page) => [new URL(page.url).pathname, html(page, random.some(live, 3), version)]),
      ...live.map((page) => [`/hop/${page.number}`, redirectTo(page.url)]),
    ]),
  )
}

/** The app over a data folder, with everything it needs to answer calls; it is closed with the stack. */
export async function openApp(
  opened: AsyncDisposableStack,
  {
    dir,
    db,
    embedder,
    engine,
  }: Pick<Awaited<ReturnType<typeof openDataFolder>>, "dir" | "db" | "embedder"> & {
    readonly engine: Engine
  },
  site: Pick<TestSite, "authority">,
  more: Partial<NonNullable<Parameters<typeof serveAccounts>[0]>> = {},
): Promise<ServedAccounts> {
  const jobs = new Jobs(db)
  const crawlerConfig = readSettings(crawlerSettings, {})
  const reader = opened.use(createReader({ ...crawlerConfig, allowedNetworks: [site.authority] }))
  const config = { ...readSettings(apiSettings, {}), watchesPerKey: 1000, ...more.config }
  const watchers = await openStateStore(dir)
  const accounts = await openAccounts(watchers, config, () => {})
  opened.defer(async () => {
    await accounts[Symbol.asyncDispose]()
    watchers.close()
  })
  const { keys } = accounts
  const log = pino({ level: "silent" })
  const watches = opened.use(await openWatches({ db, engine, keys, config, crawlerConfig, log, pollMs: 20 }))
  const app = opened.use(
    await serveAccounts({
      dir,
      engine,
      embedder,
      reader,
      watches,
      sites: sourceSites(db, jobs),
      pages: openPageKnowledge(db, jobs),
      sourceNames: async () => SOURCES,
      ...more,
      config,
    }),
  )
  for (const [name, held] of Object.entries(COLLECTIONS))
    if (held.length > 0) await app.accounts.collections.set(name, held)
  return app
}

export function someScope(random: Chance, site: Pick<TestSite, "authority">): KeyScope {
  const maybe = <T>(share: number, all: readonly T[], most: number): T[] | undefined =>
    random.happens(share) ? random.some(all, 1 + random.below(most)) : undefined
  return readScope({
    endpoints: maybe(0.1, ["search", "extract", "crawl", "map", "research"], 3),
    sources: maybe(0.5, [...SOURCES, "nowhere"], 3),
    collections: maybe(0.3, Object.keys(COLLECTIONS), 2),
    domains: maybe(0.4, [...NAMES, site.authority], 4),
  })
}

/** Whether a key sees a page, following the handbook and none of the code. */
export function naive(
  { sources, collections, domains }: KeyScope,
  page: Pick<SecretPage, "sources" | "host" | "port">,
): boolean {
  if (sources !== null || collections !== null) {
    const listed = [...(sources ?? []), ...(collections ?? []).flatMap((name) => COLLECTIONS[name] ?? [])]
    if (!page.sources.some((name) => listed.includes(name))) return false
  }
  if (domains === null) return true
  return domains.some((written) => {
    const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(written)!
    if (port !== undefined && Number(port) !== page.port) return false
    const isRegistrable = HOSTS.some(([, domain]) => domain === name)
    return page.host === name || (isRegistrable && page.host.endsWith(`.${name}`))
  })
}

const text = ({ asked, proof }: SecretPage, version: number): string =>
  `Pumps of kind ${asked} move water, and ${proof} says how in version ${version}. ` +
  `The seals of ${asked} wear out first; ${proof} keeps them in stock. `.repeat(4)

function html(page: SecretPage, others: readonly SecretPage[], version: number): string {
  const { proof, asked } = page
  const links = others.map(({ url }) => `<a href="${url}">further</a>`).join(" ")
  return `<!doctype html><html lang="en"><head><title>Pump ${asked} ${proof}</title><meta name="description" content="About ${proof}">
    <meta name="author" content="${proof}"></head><body><nav>${links}</nav><main><h1>Pump ${asked} ${proof}</h1>
    <h2 id="${proof}">Seals of ${proof}</h2><p>${text(page, version)}</p><img src="/${proof}.png" alt="${proof}" width="300" height="300"></main></body></html>`
}

const listing = (pages: readonly SecretPage[]): string =>
  `<!doctype html><html lang="en"><title>List</title><body><nav>${pages.map(({ url }) => `<a href="${url}">one</a>`).join(" ")}</nav><main><p>Where all begins.</p></main></body></html>`

const redirectTo =
  (url: string) =>
  (_: unknown, response: import("node:http").ServerResponse): void => {
    response.writeHead(302, { Location: url }).end()
  }

const storedPage = (page: SecretPage) => {
  const [source, ...sharedWith] = page.sources
  const { proof, asked } = page
  return aPage(page.url, {
    title: `Pump ${asked} ${proof}`,
    description: `About ${proof}`,
    author: proof,
    markdown: `# Pump ${asked} ${proof}\n\n## Seals of ${proof}\n\n${text(page, 0)}`,
    images: [{ url: `https://images.example.net/${proof}.png`, description: proof }],
    source: source!,
    ...(sharedWith.length > 0 && { sharedWith: sharedWith.toSorted() }),
  })
}
