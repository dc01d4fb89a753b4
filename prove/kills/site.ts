import { startTestSite, html, status, type TestSite } from "#crawler/testing/test-site.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { chance, type Chance } from "#base/testing/chance.ts"

/** Number of lines on a page, each of which contains the page's version. */
const LINES = 12
/** Number of random words per line, so that no two pages are alike. */
const WORDS = 9
const SYLLABLES = "ba ko li mu ne ra si to va pe du fi go hu ja ke lo my no pu".split(" ")

/** A page of the site; if `version` is null, it has been removed. */
interface SitePage {
  readonly number: number
  version: number | null
}

/** A site whose pages are added, changed and removed, and which remembers the content of each page at all times. */
export class ChangingSite implements AsyncDisposable {
  readonly #pages = new Map<string, SitePage>()
  readonly #site: TestSite
  /** Called with the path of each request, before it is answered. */
  onRequest: (path: string) => void = () => {}

  private constructor(site: TestSite) {
    this.#site = site
  }

  static async start(pages: number): Promise<ChangingSite> {
    const served: { by: ChangingSite | null } = { by: null }
    const site = await startTestSite({
      "*": (request, response) => {
        const path = request.url ?? "/"
        served.by?.onRequest(path)
        const body = served.by?.bodyOf(path) ?? null
        if (body === null) status(404)(request, response)
        else html(body)(request, response)
      },
    })
    const changing = (served.by = new ChangingSite(site))
    for (let number = 0; number < pages; number++) changing.add()
    return changing
  }

  get seed(): string {
    return this.#site.url("/")
  }

  get authority(): string {
    return this.#site.authority
  }

  /** Addresses of the pages that exist. */
  get urls(): string[] {
    return this.#there().map(([path]) => this.#site.url(path))
  }

  isThere(url: string): boolean {
    return this.#pageOf(url)?.version != null
  }

  /** A word that appears on this page only, in all its versions. */
  wordOf(url: string): string {
    return rareWord(this.#pageOf(url)!.number)
  }

  versionOf(url: string): number | null {
    return this.#pageOf(url)?.version ?? null
  }

  /** The version of this page whose complete text this is; null if it isn't the complete text of any version. */
  wholeVersion(url: string, text: string): number | null {
    const { number } = this.#pageOf(url)!
    const versions = new Set(text.match(/(?<=as of version )\d+/g)?.map(Number))
    const [version] = versions
    if (version === undefined || versions.size !== 1) return null
    const flat = text.replaceAll(/\s+/g, " ")
    return linesOf(number, version).every((line) => flat.includes(line)) ? version : null
  }

  add(): string {
    const number = this.#pages.size
    const path = `/harbour/${number}`
    this.#pages.set(path, { number, version: 1 })
    return this.#site.url(path)
  }

  change(random: Chance): string {
    const [path, page] = random.one(this.#there())
    page.version! += 1
    return this.#site.url(path)
  }

  remove(random: Chance): string {
    const [path, page] = random.one(this.#there())
    page.version = null
    return this.#site.url(path)
  }

  /** Null if there is no such page. */
  bodyOf(path: string): string | null {
    if (path === "/") {
      const links = this.#there().map(([to]) => `<li><a href="${to}">${to}</a></li>`)
      return `<!doctype html><html lang="en"><head><title>Harbours</title></head><body><main><h1>Harbours</h1><p>All harbours of this coast, by their numbers, for whoever sails it.</p><ul>${links.join("")}</ul></main></body></html>`
    }
    const page = this.#pages.get(path)
    if (page === undefined || page.version === null) return null
    const { number, version } = page
    const lines = linesOf(number, version).map((line) => `<p>${line}</p>`)
    return `<!doctype html><html lang="en"><head><title>Harbour ${number}</title></head><body><main><article><h1>Harbour ${number} ${rareWord(number)}</h1>${lines.join("\n")}</article></main></body></html>`
  }

  #there(): [string, SitePage][] {
    return [...this.#pages].filter(([, { version }]) => version !== null)
  }

  #pageOf(url: string): SitePage | undefined {
    return this.#pages.get(new URL(url).pathname)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site[Symbol.asyncDispose]()
  }
}

const linesOf = (number: number, version: number): string[] =>
  Array.from({ length: LINES }, (_, at) => {
    const random = chance(number * 1_000_003 + version * 1009 + at)
    const word = () => Array.from({ length: 3 }, () => random.one(SYLLABLES)).join("")
    const words = Array.from({ length: WORDS }, word).join(" ")
    return `Line ${at + 1} of harbour ${number} as of version ${version}: ${words}.`
  })
