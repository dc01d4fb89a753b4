import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { pino } from "pino"
import type { Chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { Jobs, Sources } from "#crawler"
import { ReaderRules } from "#crawler/sources/readers/reader-rules.ts"
import { forgetReadersNow, readersNow } from "#crawler/sources/readers/readers-now.ts"
import { runSource, shareOfRuns } from "#crawler/testing/run-source.ts"
import { html, redirect, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import type { Engine, Page } from "#engine"
import { type PageReaders, readersOf } from "#engine/index/page/readers.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { type KeyScope, readScope } from "../../api/identity/accounts/keys/key-scope.ts"
import type { ServedAccounts } from "../../api/testing/serve-accounts.ts"
import type { OAuthStore } from "../../api/identity/oauth/oauth-store.ts"
import { documentsOf } from "../../api/services/documents/testing/documents-of.ts"
import type { Headers } from "../key-reach/asking.ts"
import { HOSTS, naive, openApp, type SecretPage, someScope, SOURCES, word } from "../key-reach/world.ts"
import { openIndex } from "./open-index.ts"
import { openSignOnAndGrants } from "./sign-on.ts"
import { addSent, FOLDER, ownSources, SENT, sendDocuments, writeFiles } from "./sent.ts"

/** Readers, as people write them. */
export interface Written {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

/** A page whose parts each contain a unique word, and who may read it. */
export interface GuardedPage extends SecretPage {
  /** The page's own readers; all of these must admit the person. */
  own: readonly Written[]
  /** A word in the page's address that all pages of its folder share. */
  readonly folder: string
  /** Whether other pages have the same content, so that a search can show one of them instead. */
  readonly hasKin: boolean
  readonly language: string
  readonly title: string
  readonly text: string
  /** How the page gets into the index, unless it is on the site or was added to the index directly. */
  readonly way?: "sent" | "file"
}

/** A person with a key. */
export interface Person {
  readonly key: string
  readonly scope: KeyScope
  /** Null if they may read everything, like an admin. */
  readonly principals: readonly string[] | null
  /** Headers that say on whose behalf a service makes the call. */
  readonly headers?: Headers
}

export interface World extends AsyncDisposable {
  readonly app: ServedAccounts
  /** Where people grant programs access. */
  readonly grants: OAuthStore
  readonly site: TestSite
  readonly engine: Engine
  readonly pages: readonly GuardedPage[]
  readonly people: readonly Person[]
  /** The readers that each source declares; no entry if it declares none. */
  readonly ofSources: ReadonlyMap<string, Written>
  /** Whether a person may read a page now, by the oracle. */
  readonly mayRead: (person: Person, page: GuardedPage) => boolean
  /** Whether a person may know that a source of this name exists. */
  mayKnow(person: Person, source: string): boolean
  /**
   * Puts new content on every page of the site and crawls it again. With `readers`, half of all pages get other
   * readers, except those that were added to the index directly.
   */
  changeAll(changes: { readonly readers: boolean }): Promise<void>
  /** Declares new readers for the pages of a source. */
  declare(source: string, written: Written): Promise<void>
  /** Resolves when the app knows all current readers. */
  known(): Promise<void>
}

/** The handbook's rule, written without the product's code: no principal is denied, and if there is a list, one of them is on it. */
export const admits = (principals: readonly string[], { allow, deny = [] }: Written): boolean =>
  !deny.some((one) => principals.includes(one)) &&
  (allow === undefined || allow.some((one) => principals.includes(one)))

export const GROUPS = Array.from({ length: 60 }, (_, at) => `group:g${at}`)
export const USERS = Array.from({ length: 20 }, (_, at) => `user:u${at}@example.com`)
/** Number of distinct reader lists. */
const SETS = 40
const PER_HOST = 4
/** The sources of the site, and those with documents and files. */
const ALL = [...SOURCES, SENT, FOLDER]

/** Random readers: some principals are allowed, some are denied, or both. */
function someReaders(random: Chance): Written {
  const named = [...GROUPS, ...USERS, "signed-in"]
  const kind = random.below(4)
  return {
    ...(kind !== 0 && {
      allow: kind === 3 ? random.one([[], ["signed-in"]]) : random.some(named, 1 + random.below(20)),
    }),
    ...(kind !== 1 && { deny: random.some(GROUPS, 1 + random.below(4)) }),
  }
}

/** Contains an image for every page: whether it may be shown depends on the page. */
const THUMBNAILS = {
  facts: async (urls: readonly string[]) => new Map(urls.map((url) => [url, { state: "read", id: 1 }])),
  thumbnail: async () => Buffer.from("a thumbnail"),
} as never

/** A data folder without pages, and a site. */
async function openFolder(opened: AsyncDisposableStack) {
  const dir = await mkdtemp(join(tmpdir(), "fossick-readers-"))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const db = await openStateStore(dir)
  opened.defer(() => db.close())
  const embedder = new HashingEmbedder()
  const engine = await openIndex(opened, dir, embedder)
  return { dir, db, embedder, engine, site: opened.use(await startTestSite({})) }
}

/** @param livePages number of live pages in each source @param people number of people */
export async function openWorld(random: Chance, livePages: number, people: number): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const { dir, db, embedder, engine, site } = await openFolder(opened)
  const sets = Array.from({ length: SETS }, () => someReaders(random))
  const pages = somePages(random, livePages, site, () => random.some(sets, random.below(3)))
  const own = ownSources(dir)
  const sources = new Sources(db, new Jobs(db))
  const ofSources = new Map<string, Written>()
  const declare = async (name: string, written: Written) => {
    // The last source contains pages of the first as well.
    const shared = name === SOURCES.at(-1) ? [site.url(`/${SOURCES[0]}/shared/`)] : []
    const spec = own.find((one) => one.name === name) ?? {
      name,
      seeds: [site.url(`/${name}/`), ...shared],
      scope: "prefix",
      removal: { maxShare: 1 },
    }
    await sources.put({ ...spec, ...(Object.keys(written).length > 0 && { readers: written }) }, "file")
    if (Object.keys(written).length > 0) ofSources.set(name, written)
    else ofSources.delete(name)
  }
  await writeFiles(dir, pages, 0)
  for (const [at, name] of ALL.entries()) await declare(name, at % 2 === 0 ? {} : someReaders(random))
  serve(site, pages, random, 0)
  const share = opened.use(shareOfRuns())
  const crawl = async () => {
    // oxlint-disable-next-line no-await-in-loop -- one index takes one writer
    for (const name of ALL) await runSource(name, db, engine, share)
  }
  await crawl()
  const stored = pages.filter(({ isLive, way }) => !isLive && !way).map(storedPage)
  await new ReaderRules(db).register(stored)
  await engine.index(stored)
  await engine.settled()
  const { grants, served: signOn } = await openSignOnAndGrants(opened, dir)
  const app = await openApp(opened, { dir, db, embedder, engine }, site, {
    ...signOn,
    sourceNames: async () => ALL,
    documents: documentsOf({ db, dataDir: dir, closing: opened }),
    thumbnails: THUMBNAILS,
    log: pino({ level: "silent" }),
  })
  const made = await Promise.all(Array.from({ length: people }, (_, at) => somePerson(at, random, app, site)))
  const writer = await app.key({ role: "write" })
  await sendDocuments(app, writer, pages, { version: 0, isReadersOnly: false })
  await runSource(SENT, db, engine, share)
  let version = 0
  const known = () => knowsAll(app, db, ofSources)
  await known()
  const all = opened.move()
  return {
    app,
    grants,
    site,
    engine,
    pages,
    people: made,
    ofSources,
    declare,
    known,
    mayRead: ({ scope, principals }, page) =>
      naive(scope, page) &&
      (principals === null ||
        (page.own.every((one) => admits(principals, one)) &&
          page.sources.every((name) => admits(principals, ofSources.get(name) ?? {})))),
    mayKnow: ({ principals }, name) => principals === null || admits(principals, ofSources.get(name) ?? {}),
    async changeAll({ readers }) {
      for (const page of pages)
        if (readers && (page.isLive || page.way) && random.happens(0.5))
          page.own = random.some(sets, random.below(page.way === "sent" ? 2 : 3))
      serve(site, pages, random, ++version)
      await writeFiles(dir, pages, version)
      await sendDocuments(app, writer, pages, { version, isReadersOnly: readers })
      await crawl()
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Resolves when the app knows the current readers of all sources and of every page that was written. */
async function knowsAll(
  app: ServedAccounts,
  db: StateStore,
  ofSources: ReadonlyMap<string, Written>,
): Promise<void> {
  forgetReadersNow(db)
  const { size } = (await readersNow(db)).rules
  const expected = new Map(Array.from(ofSources, ([name, written]) => [name, readersOf(written)]))
  await until(async () => {
    const { sources, rules } = await app.accounts.readers()
    return rules.size === size && isDeepStrictEqual(new Map(sources), expected)
  }, 50)
}

/** The first person reads everything, the second has no principals. */
async function somePerson(at: number, random: Chance, app: ServedAccounts, site: TestSite): Promise<Person> {
  if (at === 0) return { key: await app.key({ role: "admin" }), scope: readScope({}), principals: null }
  const groups = at === 1 ? [] : random.some(GROUPS, random.below(51))
  const named = at === 1 || random.happens(0.2) ? [] : [random.one(USERS), "signed-in"]
  const principals = [...groups, ...named]
  const scope = random.happens(0.2) ? someScope(random, site) : readScope({})
  return { key: await app.key({ scope, principals }), scope, principals }
}

/** @param at returns the address for a word that appears in no other address */
export type AddPage = (
  at: (address: string) => string,
  about: Partial<GuardedPage> & Pick<GuardedPage, "sources">,
) => GuardedPage

/** Pages of the site, documents and files, pages that are only in the index, and some of these with the same content as others. */
function somePages(random: Chance, livePages: number, site: TestSite, own: () => readonly Written[]) {
  const pages: GuardedPage[] = []
  const add: AddPage = (at, about) => {
    const number = pages.length
    const proof = word("prf", number)
    const address = word("adr", number)
    const asked = about.asked ?? word("ask", number)
    const url = new URL(at(about.inAddress ?? address))
    const { hostname: host, port, protocol } = url
    const page: GuardedPage = {
      number,
      asked,
      proof,
      inAddress: address,
      folder: "",
      isLive: false,
      hasKin: false,
      language: "en",
      title: `Pump ${asked} ${proof}`,
      text: textOf(asked, proof),
      own: own(),
      url: url.href,
      host,
      port: Number(port) || (protocol === "https:" ? 443 : 80),
      ...about,
    }
    pages.push(page)
    return page
  }
  const [first, last] = [SOURCES[0]!, SOURCES.at(-1)!]
  for (const source of SOURCES)
    for (let left = livePages; left > 0; left--)
      add((one) => site.url(`/${source}/${one}`), { sources: [source], isLive: true })
  for (let left = livePages; left > 0; left--)
    add((one) => site.url(`/${first}/shared/${one}`), { sources: [first, last], isLive: true })
  addSent(add, livePages, (at) => word("fld", pages.length + at))
  for (const [host] of HOSTS) {
    const sources = () => random.some(SOURCES, 1 + random.below(2))
    for (let at = 0; at < PER_HOST; at++) {
      const folder = word("fld", pages.length)
      const about = { sources: sources(), folder }
      add((one) => `https://${host}/${folder}/${one}`, about)
      if (random.happens(0.5)) add((one) => `https://${host}/${folder}/${one}`, about)
    }
    addKin(host, add, sources)
  }
  return pages
}

/** Groups of pages in which a search may show one page instead of another: two copies, a translation, two versions. */
function addKin(host: string, add: AddPage, sources: () => string[]): void {
  const kin = { hasKin: true } as const
  const copied = add((one) => `https://${host}/${one}`, { ...kin, sources: sources() })
  const text = textOf(copied.asked, "nothing else")
  Object.assign(copied, { text })
  add((one) => `https://${host}/print/${one}`, { ...kin, asked: copied.asked, text, sources: sources() })
  const read = add((one) => `https://${host}/en/${one}`, { ...kin, sources: sources() })
  Object.assign(read, { inAddress: `en/${read.inAddress}` })
  add(() => read.url.replace("/en/", "/de/"), {
    ...kin,
    asked: read.asked,
    inAddress: read.inAddress.replace("en/", "de/"),
    language: "de",
    sources: sources(),
  })
  const versions = { ...kin, title: "Pumps by version" }
  const old = add((one) => `https://${host}/v1.0/${one}`, { ...versions, sources: sources() })
  const same = textOf(old.asked, "nothing else")
  Object.assign(old, { inAddress: `v1.0/${old.inAddress}`, text: same })
  add(() => old.url.replace("/v1.0/", "/v2.0/"), {
    ...versions,
    asked: old.asked,
    inAddress: old.inAddress.replace("v1.0", "v2.0"),
    text: same,
    sources: sources(),
  })
}

const textOf = (asked: string, proof: string): string =>
  `Pumps of kind ${asked} move water, and ${proof} says how. ` +
  `The seals of ${asked} wear out first; ${proof} keeps them in stock. `.repeat(16)

/** Serves one version of the pages. */
function serve(site: TestSite, pages: readonly GuardedPage[], random: Chance, version: number): void {
  const live = pages.filter(({ isLive }) => isLive)
  const pathOf = ({ url }: GuardedPage) => new URL(url).pathname
  site.serve(
    Object.fromEntries([
      ...[...SOURCES, "s0/shared"].map((folder) => {
        const held = live.filter((page) => pathOf(page).startsWith(`/${folder}/`))
        // Every other page is linked under another address, which redirects to it, so that the crawl learns that
        // address.
        const links = held.map((page) => (page.number % 2 === 0 ? page.url : `/${folder}/hop-${page.number}`))
        return [`/${folder}/`, listing(folder === SOURCES[0] ? [...links, "/s0/shared/"] : links)]
      }),
      ...live.map((page) => [pathOf(page), served(page, random.some(live, 3), version)]),
      ...live.map((page) => [pathOf(page).replace(/[^/]*$/, `hop-${page.number}`), redirect(page.url)]),
      ...live.map((page) => [`/hop/${page.number}`, redirect(page.url)]),
    ]),
  )
}

const listing = (links: readonly string[]): string =>
  `<!doctype html><html lang="en"><title>List</title><body><nav>${links.map((url) => `<a href="${url}">one</a>`).join(" ")}</nav><main><p>Where all begins.</p></main></body></html>`

/** Declares the page's readers in a header, in a tag, or in both. */
function served(page: GuardedPage, others: readonly GuardedPage[], version: number) {
  const { proof, asked, title, text, own } = page
  const [first, second] = page.number % 2 === 0 ? own : [undefined, own[0]]
  const tag = second ? `<meta name="fossick-readers" content="${written(second)}">` : ""
  const further = page.number % 2 === 1 && own[1] ? own[1] : first
  const links = others.map(({ url }) => `<a href="${url}">further</a>`).join(" ")
  return html(
    `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${proof}">${tag}
    <meta name="author" content="${proof}"></head><body><nav>${links}</nav><main><h1>Pump ${asked} ${proof}</h1>
    <h2 id="${proof}">Seals of ${proof}</h2><p>${text} This is version ${version}.</p><img src="/${proof}.png" alt="${proof}" width="300" height="300"></main></body></html>`,
    further ? { "x-fossick-readers": written(further) } : {},
  )
}

const written = ({ allow, deny }: Written): string =>
  [allow && `allow=${allow.join(", ")}`, deny && `deny=${deny.join(", ")}`]
    .filter((one) => one !== undefined)
    .join("; ")

function storedPage(page: GuardedPage): Page {
  const [source, ...sharedWith] = page.sources
  const { proof, title, text, language, own } = page
  const readers = own.map((one, at): PageReaders => ({
    source: page.sources[at % page.sources.length]!,
    ...readersOf(one),
  }))
  return aPage(page.url, {
    title,
    description: page.hasKin ? null : `About ${proof}`,
    markdown: page.hasKin ? text : `# ${title}\n\n## Seals of ${proof}\n\n${text}`,
    images: [{ url: `https://images.example.net/${proof}.png`, description: proof }],
    language,
    source: source!,
    ...(sharedWith.length > 0 && { sharedWith: sharedWith.toSorted() }),
    ...(readers.length > 0 && { readers }),
  })
}
