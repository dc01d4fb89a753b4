import { bytes, html, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"

import { type Chance, chance } from "#base/testing/chance.ts"

const SYLLABLES =
  "ba be bi do du fa fe ga go ka ke ki la le lo ma mi mo na ne no pa po ra ri ro sa se so ta ti to va vi za".split(
    " ",
  )
const WORDS = 3000
const SENTENCES = 24
const WORDS_OF_SENTENCE = 11
const LINKS_OF_PAGE = 12
/** How many pages back a page may link: pages only link to those added shortly before them, so that a site whose pages come and go doesn't collect dead links. */
const LINKS_BACK = 300
/** One in BY_SCRIPT pages is built by a script, from data. */
const BY_SCRIPT = 50

/** A site with made-up pages: their words are distributed as in a language, a few frequent and most rare. */
export class MadeUpSite implements AsyncDisposable {
  readonly site: TestSite
  readonly #chance: Chance
  readonly #words: readonly string[]
  /** How many times the text of a page has changed; null if the page is gone. */
  readonly #versions = new Map<number, number | null>()
  readonly #name: string
  readonly #hasScripts: boolean
  #rendered = 0

  private constructor(site: TestSite, name: string, seed: number, hasScripts: boolean) {
    this.site = site
    this.#name = name
    this.#hasScripts = hasScripts
    this.#chance = chance(seed)
    this.#words = Array.from({ length: WORDS }, () =>
      Array.from({ length: 2 + this.#chance.below(3) }, () => this.#chance.one(SYLLABLES)).join(""),
    )
  }

  /** @param hasScripts whether some of its pages need a browser */
  static async start(name: string, pages: number, seed: number, hasScripts = false): Promise<MadeUpSite> {
    const made = new MadeUpSite(await startTestSite({}), name, seed, hasScripts)
    made.site.serve({
      "*": (request, response) => made.#answer(request.url ?? "/")(request, response),
    })
    made.add(pages)
    return made
  }

  get seed(): string {
    return this.site.url("/")
  }

  /** Addresses of the pages that exist. */
  get urls(): readonly string[] {
    return this.#there().map((at) => this.site.url(`/page/${at}`))
  }

  /** Number of times that a browser requested the data from which a script builds a page. */
  get rendered(): number {
    return this.#rendered
  }

  /** A question whose words occur on pages. */
  question(): string {
    return Array.from({ length: 2 + this.#chance.below(4) }, () => this.#word(this.#chance)).join(" ")
  }

  /** The part of a title that a user has typed so far. */
  typed(): string {
    return `Page ${this.#chance.below(this.#versions.size)}`.slice(0, 4 + this.#chance.below(4))
  }

  add(pages: number): void {
    const from = this.#versions.size
    for (let at = from; at < from + pages; at++) this.#versions.set(at, 1)
  }

  /** Changes the text of this many pages. */
  change(pages: number): void {
    for (const at of this.#chance.some(this.#there(), pages))
      this.#versions.set(at, this.#versions.get(at)! + 1)
  }

  /** Removes this many pages. */
  remove(pages: number): void {
    for (const at of this.#chance.some(this.#there(), pages)) this.#versions.set(at, null)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]()
  }

  #there(): number[] {
    return [...this.#versions].flatMap(([at, version]) => (version === null ? [] : [at]))
  }

  #answer(path: string) {
    if (path === "/") {
      const links = this.#there().map((at) => `<li><a href="/page/${at}">Page ${at} of ${this.#name}</a>`)
      return html(
        `<!doctype html><html lang="en"><title>${this.#name}</title><h1>${this.#name}</h1><ul>${links.join("")}</ul>`,
      )
    }
    const at = Number(/^\/(?:page|data)\/(\d+)$/.exec(path)?.[1])
    const version = this.#versions.get(at) ?? null
    if (version === null) return status(410)
    const text = this.#text(at, version)
    if (path.startsWith("/data/")) {
      this.#rendered += 1
      return bytes(JSON.stringify(text), { "content-type": "application/json" })
    }
    const head = `<!doctype html><html lang="en"><title>Page ${at} of ${this.#name}</title>`
    if (this.#hasScripts && at % BY_SCRIPT === 1) {
      return html(
        `${head}<div id="root"></div><script>fetch("/data/${at}").then((answer) => answer.json()).then((text) => { root.innerHTML = text })</script>`,
      )
    }
    return html(`${head}<main>${text}</main>`)
  }

  #text(at: number, version: number): string {
    const own = chance(at * 7919 + version)
    const sentences = Array.from({ length: SENTENCES }, () => {
      const words = Array.from({ length: WORDS_OF_SENTENCE }, () => this.#word(own))
      return `${words[0]![0]!.toUpperCase()}${words.join(" ").slice(1)}.`
    })
    const parts = [0, 1, 2].map(
      (part) => `<h2>Part ${part}</h2><p>${sentences.slice(part * 8, part * 8 + 8).join(" ")}</p>`,
    )
    const links = Array.from(
      { length: LINKS_OF_PAGE },
      () => `<a href="/page/${at - own.below(Math.min(at + 1, LINKS_BACK))}">See also</a>`,
    )
    return `<h1>Page ${at} of ${this.#name}</h1>${parts.join("")}<nav>${links.join(" ")}</nav>`
  }

  /** Most words are rare: the rank of a word is distributed by Zipf's law. */
  #word(from: Chance): string {
    return this.#words[Math.floor(WORDS ** from.next()) - 1]!
  }
}
