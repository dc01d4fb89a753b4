import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Embedder } from "#engine/embedder.ts"
import type { Engine, PageFilter, PagePreference } from "#engine/engine.ts"
import { MAX_PASSAGE_CHARS, type Page } from "../page/page.ts"
import { pageId } from "../page/page-url.ts"
import { HashingEmbedder } from "./hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "./pages.ts"

export interface OpenOptions {
  readonly mode?: "read" | "write"
  readonly embedder?: Embedder
  readonly embedding?: "on" | "off"
}

/** What the suite must know of an adapter. A child process loads `module` and takes its export `adapter`. */
export interface AdapterUnderTest {
  readonly module: string
  /** A place for a new index: a folder, or the name of an index on a server. */
  freshPlace(): Promise<string>
  removePlace(place: string): Promise<void>
  /** Its answers come from a recording, so that stories which were added since are left out. */
  readonly isRecorded?: boolean
  /** Pages that a writer has written when it is killed. Default 12. */
  readonly killedAfter?: number
  /** Default: opens for writing, with the hashing embedder. */
  open(place: string, options?: OpenOptions): Promise<Engine>
}

const HOSTILE = [
  "it's",
  '100% "sure',
  "a' OR '1'='1",
  '\\"; DROP TABLE pages; --',
  "+must -not (or) [x] {y} ~z^2 *",
  "\u0000null",
  "\ud800 lone surrogate",
  "🦔",
  "???",
  '""',
  "x".repeat(5000),
]

const CHILD = new URL("engine-child.ts", import.meta.url).pathname

/** The promises of the `Engine` port, as stories. Every adapter runs them. */
export function describeEngine(name: string, adapter: AdapterUnderTest): void {
  describe(`${name} keeps the engine's promises:`, () => {
    let place: string
    const opened: Engine[] = []
    const children: ChildProcess[] = []

    beforeEach(async () => {
      place = await adapter.freshPlace()
    })
    afterEach(async () => {
      for (const child of children.splice(0)) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGKILL")
          await once(child, "exit")
        }
      }
      await Promise.all(opened.splice(0).map((engine) => engine[Symbol.asyncDispose]()))
      await adapter.removePlace(place)
    })

    async function open(options?: OpenOptions): Promise<Engine> {
      const engine = await adapter.open(place, options)
      opened.push(engine)
      return engine
    }

    function spawnChild(role: "reader" | "writer") {
      const child = spawn(process.execPath, [CHILD, adapter.module, place, role], {
        stdio: ["pipe", "pipe", "inherit"],
      })
      children.push(child)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async () => {
        const { value, done } = await lines.next()
        if (done) throw new Error(`The ${role} process ended early.`)
        return value
      }
      return { child, next }
    }

    const found = async (engine: Engine, text: string, filter?: PageFilter) => {
      const { hits } = await engine.search({ text, limit: 10, ...(filter ? { filter } : {}) })
      return hits.map((hit) => hit.url)
    }
    /** Only the words count: nothing is found by being near. */
    const foundByWords = async (engine: Engine, text: string, filter?: PageFilter) => {
      const { hits } = await engine.search({
        text,
        limit: 10,
        arms: "lexical",
        ...(filter ? { filter } : {}),
      })
      return hits.map((hit) => hit.url).sort()
    }

    describe("pages come and go", () => {
      test("a page is found by its text when index() resolves, and by its vectors when settled", async () => {
        const engine = await open()
        const page = aPage("tides", { title: "Tides", markdown: "The moon raises the tides of the sea." })
        await engine.index([page, aPage("bread", { title: "Bread", markdown: "Flour, water and yeast." })])
        expect(await found(engine, "what raises the tides")).toContain(page.url)
        await engine.settled()
        expect((await engine.stats()).pagesWithoutVectors).toBe(0)
        const { hits } = await engine.search({ text: "moon raises tides", limit: 1, arms: "vector" })
        expect(hits[0]).toMatchObject({ url: page.url, parts: { lexical: 0 } })
        expect(hits[0]!.parts.vector).toBeGreaterThan(0)
      })

      test("of a page it is known how many passages it has, and how many vectors", async () => {
        const engine = await open({ embedding: "off" })
        const page = aPage("tides", { markdown: "The moon raises the tides. ".repeat(60) })
        await engine.index([page, aPage("bread")])
        const { passages, vectors } = (await engine.coverage(page.url))!
        expect(passages).toBeGreaterThan(1)
        expect(vectors).toBe(0)
        expect(await engine.coverage(urlOf("nowhere"))).toBeNull()
        await engine[Symbol.asyncDispose]()
        const embedding = await open()
        await embedding.settled()
        expect(await embedding.coverage(page.url)).toEqual({ passages, vectors: passages })
      })

      test("what was stored comes back whole", async () => {
        const engine = await open()
        const page = aPage("whole?a=1&b=it's", {
          title: "Quotes \" and ' and \\ and %",
          description: "Everything — 漢字, emoji 🦔, zero\u200bwidth",
          markdown: "# Heading\n\nText with\ttabs and 'quotes'.",
          author: "O'Brien",
          publishedAt: new Date("2025-06-07T08:09:10.123Z"),
          images: [{ url: "https://docs.example.com/a.png", description: null }],
          favicon: "https://docs.example.com/favicon.ico",
        })
        const plain = aPage("plain", { language: null })
        await engine.index([page, plain])
        expect(await engine.get(page.url)).toEqual(page)
        expect(await engine.get(plain.url)).toEqual(plain)
        expect(await engine.get(urlOf("never"))).toBeNull()
        const { hits } = await engine.search({ text: "tabs", limit: 1 })
        expect(hits[0]).toMatchObject(page)
      })

      test("indexing an address again replaces its page, text and vectors", async () => {
        const engine = await open()
        await engine.index([aPage("animal", { title: "Cats", markdown: "Cats purr and sleep." })])
        await engine.settled()
        await engine.index([aPage("animal", { title: "Dogs", markdown: "Dogs bark and run." })])
        expect(await foundByWords(engine, "purr")).toEqual([])
        expect(await foundByWords(engine, "bark")).toEqual([urlOf("animal")])
        const stale = await engine.search({ text: "cats purr and sleep", limit: 5, arms: "vector" })
        // Its own vectors may be there by now; those of its former text would say more.
        for (const hit of stale.hits) expect(hit.parts.vector).toBeLessThan(0.8)
        await engine.settled()
        const { hits } = await engine.search({ text: "dogs bark and run", limit: 5, arms: "vector" })
        expect(hits.map((hit) => hit.title)).toEqual(["Dogs"])
        expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
      })

      test("the last of two pages with one address in a call counts", async () => {
        const engine = await open()
        await engine.index([aPage("x", { markdown: "former" }), aPage("x", { markdown: "latter" })])
        expect(await foundByWords(engine, "former latter")).toEqual([urlOf("x")])
        expect((await engine.get(urlOf("x")))!.markdown).toBe("latter")
      })

      test("a removed page is gone from search and get", async () => {
        const engine = await open()
        await engine.index([
          aPage("here", { markdown: "Stays put." }),
          aPage("gone", { markdown: "Goes away." }),
        ])
        await engine.settled()
        await engine.remove([urlOf("gone"), urlOf("never-there")])
        expect(await engine.get(urlOf("gone"))).toBeNull()
        expect(await found(engine, "goes away")).not.toContain(urlOf("gone"))
        expect(await found(engine, "stays put")).toEqual([urlOf("here")])
        expect((await engine.stats()).pages).toBe(1)
      })

      test("a page without any text is kept, found by its title, and waits for no vectors", async () => {
        const engine = await open()
        await engine.index([aPage("empty", { title: "Nothing but a heading", markdown: "" })])
        await engine.settled()
        expect(await foundByWords(engine, "heading")).toEqual([urlOf("empty")])
        expect(await engine.stats()).toMatchObject({ pages: 1, passages: 0, pagesWithoutVectors: 0 })
      })

      test("many pages in one call are all found, before and after their vectors are made", async () => {
        const engine = await open()
        const pages = Array.from({ length: 120 }, (_, i) =>
          aPage(`many/${i}`, { markdown: `Entry ${rareWord(i)} of a long list.` }),
        )
        await engine.index(pages)
        for (const i of [0, 59, 119]) expect(await foundByWords(engine, rareWord(i))).toEqual([pages[i]!.url])
        await engine.settled()
        expect(await engine.stats()).toMatchObject({ pages: 120, passages: 120, pagesWithoutVectors: 0 })
      })
    })

    describe("an index moves", () => {
      const names = Array.from({ length: 70 }, (_, i) => `moved/${i}`)
      const pages = names.map((name, i) => aPage(name, { markdown: `Entry ${rareWord(i)} of a list.` }))
      const byId = (some: readonly Page[]) =>
        some.toSorted((a, b) => (pageId(a.url) < pageId(b.url) ? -1 : 1))

      test("page by page in the order of their ids, from any of them on", async () => {
        const engine = await open()
        await engine.index(pages)
        await engine.settled()
        const all = await Array.fromAsync(engine.allPages())
        expect(all.map(({ page }) => page)).toEqual(byId(pages))
        for (const { vectors } of all) {
          expect(vectors!.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1, 5)])
        }
        const after = pageId(all[41]!.page.url)
        const rest = await Array.fromAsync(engine.allPages({ after }))
        expect(rest.map(({ page }) => page.url)).toEqual(all.slice(42).map(({ page }) => page.url))
      })

      test("into another one with its vectors, so that nothing is embedded again", async () => {
        const engine = await open({ embedding: "off" })
        const vector = (await new HashingEmbedder().embed(["quokka"]))[0]!
        const [with_, without, tooMany, none] = pages
        await engine.load([
          { page: with_!, vectors: [vector] },
          { page: without!, vectors: null },
          { page: tooMany!, vectors: [vector, vector] },
          { page: { ...none!, markdown: "" }, vectors: [] },
        ])
        expect(await engine.stats()).toMatchObject({ pages: 4, passages: 3, pagesWithoutVectors: 2 })
        const { hits } = await engine.search({ text: "quokka", limit: 5, arms: "vector" })
        expect(hits.map((hit) => hit.url)).toEqual([with_!.url])
        const moved = await Array.fromAsync(engine.allPages())
        const found = moved.find(({ page }) => page.url === with_!.url)!
        expect(Math.max(...found.vectors![0]!.map((value, i) => Math.abs(value - vector[i]!)))).toBeLessThan(
          1e-6,
        )
        expect(moved.filter(({ vectors }) => vectors === null)).toHaveLength(2)
        await engine.load([{ page: { ...with_!, markdown: "Changed." }, vectors: null }])
        expect((await engine.stats()).pagesWithoutVectors).toBe(3)
      })
    })

    describe("a question", () => {
      test("without words, or for no pages, finds nothing", async () => {
        const engine = await open()
        await engine.index([aPage("a")])
        await engine.settled()
        expect(await engine.search({ text: "text", limit: 0 })).toEqual({ hits: [] })
        expect(await engine.search({ text: "", limit: 5 })).toEqual({ hits: [] })
        expect(await engine.search({ text: " \n\t", limit: 5 })).toEqual({ hits: [] })
      })

      test("to an empty index finds nothing", async () => {
        const engine = await open()
        expect(await engine.search({ text: "anything", limit: 5 })).toEqual({ hits: [] })
        expect(await engine.stats()).toMatchObject({ pages: 0, passages: 0, pagesWithoutVectors: 0 })
      })

      test("of hostile text gets an answer", async () => {
        const engine = await open()
        await engine.index([aPage("a", { markdown: "It's quite sure that nothing drops." })])
        await engine.settled()
        for (const text of HOSTILE) {
          for (const arms of ["hybrid", "lexical", "vector"] as const) {
            const { hits } = await engine.search({ text, limit: 5, arms })
            expect({ text, fits: hits.length <= 1 }).toEqual({ text, fits: true })
          }
        }
      })

      test("has scores from 0 to 1 that never rise, and low ones when it is unrelated", async () => {
        const engine = await open()
        await engine.index([
          aPage("1", { title: "Growing tomatoes", markdown: "Tomatoes need sun, water and warm soil." }),
          aPage("2", { title: "Watering", markdown: "Water the soil in the morning." }),
          aPage("3", { title: "Compost", markdown: "Kitchen waste turns into soil." }),
        ])
        await engine.settled()
        const { hits } = await engine.search({ text: "tomatoes need sun water and warm soil", limit: 5 })
        const scores = hits.map((hit) => hit.score)
        expect(hits[0]!.url).toBe(urlOf("1"))
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
        const unrelated = await engine.search({ text: "kubernetes ingress certificates", limit: 5 })
        for (const hit of unrelated.hits) expect(hit.score).toBeLessThan(scores[0]! / 2)
      })

      test("is found though its words stand in two different passages", async () => {
        const engine = await open()
        const filler = "Plain words that fill the page without saying much. ".repeat(30)
        await engine.index([
          aPage("both", {
            markdown: `# One\n\nThe zephyr blows.\n\n${filler}\n\n# Two\n\nThe quokka smiles.`,
          }),
          aPage("one", { markdown: "The zephyr blows." }),
        ])
        const { hits } = await engine.search({ text: "zephyr quokka", limit: 2, arms: "lexical" })
        expect(hits[0]!.url).toBe(urlOf("both"))
        const texts = hits[0]!.passages.slice(0, 2).map((passage) => passage.text)
        expect(texts.join(" ")).toMatch(/zephyr/)
        expect(texts.join(" ")).toMatch(/quokka/)
      })

      test("in Chinese or Japanese finds its page", async () => {
        const engine = await open()
        await engine.index([
          aPage("zh", { language: "zh", title: "北京", markdown: "北京是中国的首都，有很多大学。" }),
          aPage("ja", { language: "ja", title: "天気", markdown: "明日の東京の天気は晴れです。" }),
        ])
        expect(await foundByWords(engine, "中国首都")).toEqual([urlOf("zh")])
        expect(await foundByWords(engine, "東京の天気")).toEqual([urlOf("ja")])
      })

      test.each([
        ["Chinese", "zh", "北京是中国的首都，有很多大学。", "首都", "大学", "中国的首都", "国中"],
        ["Japanese", "ja", "明日の東京の天気は晴れです。", "天気", "晴れ", "東京の天気", "気天"],
        [
          "Korean",
          "ko",
          "서울은 대한민국의 수도이다.",
          "대한민국",
          "수도",
          "대한민국의 수도",
          "수도 대한민국",
        ],
        ["Thai", "th", "กรุงเทพเป็นเมืองหลวงของประเทศไทย", "เมืองหลวง", "ประเทศไทย", "เมืองหลวงของ", "ไทยประเทศ"],
        ["Arabic", "ar", "القاهرة هي عاصمة مصر.", "عاصمة", "القاهرة", "عاصمة مصر", "مصر عاصمة"],
        ["Hebrew", "he", "ירושלים היא בירת ישראל.", "בירת", "ישראל", "בירת ישראל", "ישראל בירת"],
        ["Hindi", "hi", "दिल्ली भारत की राजधानी है।", "राजधानी", "भारत", "भारत की राजधानी", "राजधानी की"],
        ["Greek", "el", "Η Αθήνα είναι η πρωτεύουσα.", "πρωτεύουσα", "Αθήνα", "η πρωτεύουσα", "πρωτεύουσα η"],
        [
          "Russian",
          "ru",
          "Москва — столица России.",
          "столица",
          "Москва",
          "столица России",
          "России столица",
        ],
      ])("in %s finds a word, drops one, and tells a phrase from its words", async (...row) => {
        const [, language, text, word, other, phrase, reversed] = row
        const engine = await open()
        const page = aPage("page", { language, markdown: text })
        const second = aPage("second", { language, markdown: `${word} 1234.` })
        await engine.index([page, second, aPage("en", { markdown: "Nothing of the kind." })])
        expect(await foundByWords(engine, word)).toEqual([page.url, second.url])
        expect(await foundByWords(engine, `${word} -${other}`)).toEqual([second.url])
        expect(await foundByWords(engine, `${word} "${phrase}"`)).toEqual([page.url])
        expect(await foundByWords(engine, `${word} -"${phrase}"`)).toEqual([second.url])
        expect(await foundByWords(engine, `"${reversed}"`)).toEqual([])
        const { hits } = await engine.search({ text: word, limit: 1, arms: "lexical", passagesPerPage: 1 })
        expect(hits[0]!.passages[0]!.text).toContain(word)
      })

      test("in German is found with umlauts written out, and with ss for ß", async () => {
        const engine = await open()
        await engine.index([
          aPage("umlaut", { language: "de", markdown: "Herr Müller wohnt in der Straße." }),
          aPage("written", { language: "de", markdown: "Frau Mueller wohnt in der Strasse." }),
        ])
        for (const text of ["Müller", "Mueller", "Straße", "strasse"]) {
          expect(await foundByWords(engine, text)).toEqual([urlOf("umlaut"), urlOf("written")])
        }
      })

      test("finds another form of a word, in the language of each page", async () => {
        const engine = await open()
        await engine.index([
          aPage("en", { language: "en", markdown: "Schedules are written as cron expressions." }),
          aPage("de", { language: "de", markdown: "Die Häuser stehen am Fluss." }),
        ])
        expect(await foundByWords(engine, "scheduling")).toEqual([urlOf("en")])
        expect(await foundByWords(engine, "Haus")).toEqual([urlOf("de")])
      })

      test("in quotes finds only pages that hold the phrase word by word", async () => {
        const engine = await open()
        if (!engine.supports.exactPhrase) return
        await engine.index([
          aPage("phrase", { markdown: "The *quick*\nbrown fox jumps." }),
          aPage("words", { markdown: "A fox that is brown and quick." }),
        ])
        await engine.settled()
        expect(await found(engine, '"quick brown fox"')).toEqual([urlOf("phrase")])
        expect(await found(engine, 'jumping "Quick  Brown"')).toEqual([urlOf("phrase")])
        expect(await found(engine, '"brown quick"')).toEqual([])
      })

      test("may hold any number of quoted phrases", async () => {
        const engine = await open()
        if (!engine.supports.exactPhrase) return
        await engine.index([aPage("phrase", { markdown: "The quick brown fox jumps." })])
        const many = (phrase: (i: number) => string) =>
          Array.from({ length: 500 }, (_, i) => `"${phrase(i)}"`).join(" ")
        expect(
          await found(
            engine,
            many(() => "brown fox"),
          ),
        ).toEqual([urlOf("phrase")])
        expect(
          await found(
            engine,
            many((i) => `fox ${i}`),
          ),
        ).toEqual([])
        expect(
          await found(
            engine,
            many((i) => String.fromCodePoint(0x2190 + i)),
          ),
        ).toEqual([])
      })

      test("drops the pages that hold a word with a minus, in title or text, in every arm", async () => {
        const engine = await open()
        await engine.index([
          aPage("cat", { markdown: "The jaguar is a big cat of the forest." }),
          aPage("car", { title: "Jaguar cars", markdown: "The jaguar is a car, crawled by mail." }),
          aPage("both", { markdown: "A jaguar by e-mail, and node.js too." }),
        ])
        await engine.settled()
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const ask = async (text: string) => {
            const { hits } = await engine.search({ text, limit: 5, arms })
            return hits.map((hit) => hit.url.split("/").at(-1)!).sort()
          }
          expect(await ask("jaguar")).toEqual(["both", "car", "cat"])
          expect(await ask("jaguar -cars")).toEqual(["both", "cat"])
          expect(await ask("jaguar -CRAWLING -forest")).toEqual(["both"])
          expect(await ask("jaguar -e-mail")).toEqual(["car", "cat"])
          expect(await ask("jaguar -node.js")).toEqual(["car", "cat"])
          expect(await ask("jaguar -the -by")).toEqual([])
          expect(await ask("jaguar -dog")).toEqual(["both", "car", "cat"])
          expect(await ask("jaguar --cars")).toEqual(["both", "car", "cat"])
          expect(await ask('jaguar -"big cat"')).toEqual(["both", "car"])
          expect(await ask('jaguar -"cat big" -“is a car”')).toEqual(["both", "cat"])
        }
      })

      test("with a minus before a common word still finds the pages without it", async () => {
        const engine = await open()
        const pages = Array.from({ length: 500 }, (_, i) =>
          aPage(`p/${i}`, { markdown: `Common words, common draft ${rareWord(i)}.` }),
        )
        const final = Array.from({ length: 3 }, (_, i) =>
          aPage(`final/${i}`, {
            markdown: `A long way off some common thing stands at last, ${rareWord(i)}.`,
          }),
        )
        await engine.index([...pages, ...final])
        expect(await foundByWords(engine, "common words -draft")).toEqual(final.map(({ url }) => url))
      })

      test("names sites to look in and to leave out, by the rules of domain filters", async () => {
        const engine = await open()
        await engine.index([
          aPage("https://example.com/a", { markdown: "Cherries of the main site." }),
          aPage("https://docs.example.com/b", { markdown: "Cherries of the documents on docs.example.com." }),
          aPage("https://bücher.example/c", { markdown: "Cherries of the books." }),
        ])
        await engine.settled()
        const ask = async (text: string, filter?: PageFilter) =>
          (await found(engine, text, filter)).map((url) => url.at(-1)!).sort()
        expect(await ask("cherries site:example.com")).toEqual(["a", "b"])
        expect(await ask("cherries site:docs.example.com")).toEqual(["b"])
        expect(await ask("cherries site:EXAMPLE.com. -site:docs.example.com")).toEqual(["a"])
        expect(await ask("cherries site:docs.example.com site:bücher.example")).toEqual(["b", "c"])
        expect(await ask("site:docs.example.com")).toEqual(["b"])
        expect(await ask("cherries site:example.com", { includeDomains: ["docs.example.com"] })).toEqual([
          "b",
        ])
        expect(await ask("cherries site:com")).toEqual([])
        expect(await ask("cherries site:*.example.com")).toEqual(["a", "b", "c"])
      })

      test("is embedded without its operators", async () => {
        const asked: string[] = []
        const embedder = new HashingEmbedder()
        const embed = embedder.embed.bind(embedder)
        embedder.embed = (texts, options) => {
          if (options?.priority === "query") asked.push(...texts)
          return embed(texts, options)
        }
        const engine = await open({ embedder })
        await engine.index([aPage("a")])
        await engine.search({ text: 'what is "a text" -word site:docs.example.com', limit: 1 })
        expect(asked).toEqual(["what is a text"])
      })

      test("with a misspelt word finds what it may stand for, below the word itself", async () => {
        const engine = await open()
        if (!engine.supports.typoTolerance) return
        await engine.index([
          aPage("kubernetes", { markdown: "Kubernetes schedules containers." }),
          aPage("commission", { markdown: "The commission met on Monday." }),
          aPage("garden", { markdown: "A garden of roses." }),
          aPage("ru", { language: "ru", markdown: "Собака спит." }),
        ])
        expect(await foundByWords(engine, "kuberntes")).toEqual([urlOf("kubernetes")])
        expect(await foundByWords(engine, "kubernetse")).toEqual([urlOf("kubernetes")])
        expect(await foundByWords(engine, "what is kubernettes")).toEqual([urlOf("kubernetes")])
        expect(await foundByWords(engine, "comision met")).toEqual([urlOf("commission")])
        expect(await foundByWords(engine, "сабака")).toEqual([urlOf("ru")])
        const scoreOf = async (text: string) =>
          (await engine.search({ text, limit: 1 })).hits[0]!.parts.lexical
        expect(await scoreOf("rosse garden")).toBeLessThan(await scoreOf("roses garden"))
        await engine.index([aPage("harden", { markdown: "Harden the steel." })])
        expect(await foundByWords(engine, "garden")).toEqual([urlOf("garden")])
        expect(await foundByWords(engine, "kuberntes -containers")).toEqual([])
        expect(await foundByWords(engine, '"kuberntes"')).toEqual([])
        expect(await foundByWords(engine, "gard3n zzzzzz")).toEqual([])
      })

      test("can be called off", async () => {
        const engine = await open()
        await engine.index([aPage("a")])
        const signal = AbortSignal.abort()
        await expect(engine.search({ text: "text", limit: 1 }, { signal })).rejects.toThrow(/abort/i)
      })
    })

    describe("passages", () => {
      const sections = Array.from(
        { length: 12 },
        (_, i) => `## Section ${i}\n\n${`Sentence about subject${i} and more. `.repeat(12)}`,
      )

      test("are short, name the headings above them, and the best comes first", async () => {
        const engine = await open()
        await engine.index([aPage("long", { title: "Long", markdown: `# Top\n\n${sections.join("\n\n")}` })])
        await engine.settled()
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const { hits } = await engine.search({ text: "sentence about subject7", limit: 1, arms })
          const { passages } = hits[0]!
          expect(passages).toHaveLength(3)
          expect(passages[0]).toMatchObject({ headings: ["Top", "Section 7"] })
          for (const { text } of passages) expect(text.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARS)
        }
      })

      test("are as many as asked for, each once", async () => {
        const engine = await open()
        await engine.index([aPage("long", { markdown: sections.join("\n\n") })])
        for (const passagesPerPage of [0, 1, 5, 1000]) {
          const { hits } = await engine.search({ text: "sentence subject3", limit: 1, passagesPerPage })
          const positions = hits[0]!.passages.map((passage) => passage.position)
          expect(positions.length).toBe(Math.min(passagesPerPage, (await engine.stats()).passages))
          expect(new Set(positions).size).toBe(positions.length)
        }
      })
    })

    describe("a filter", () => {
      test("on domains takes in subdomains of a registrable domain, and nothing but the host else", async () => {
        const engine = await open()
        const sites = [
          "https://example.com/",
          "https://docs.example.com/",
          "https://deep.docs.example.com/",
          "https://notexample.com/",
          "https://example.co.uk/",
          "https://other.co.uk/",
          "http://localhost:3000/",
          "http://192.0.2.7/",
          "http://[2001:db8::1]/",
          "https://bücher.example/",
          "https://someone.github.io/",
        ]
        await engine.index(sites.map((site) => aPage(site, { markdown: `Some text on ${site}` })))
        await engine.settled()
        const inside = async (...includeDomains: string[]) =>
          (await found(engine, "text", { includeDomains })).sort()
        const sorted = (...addresses: string[]) => addresses.map(urlOf).sort()
        expect(await inside("example.com")).toEqual(
          sorted("https://example.com/", "https://docs.example.com/", "https://deep.docs.example.com/"),
        )
        expect(await inside("docs.example.com")).toEqual(sorted("https://docs.example.com/"))
        expect(await inside("EXAMPLE.co.uk.")).toEqual(sorted("https://example.co.uk/"))
        expect(await inside("co.uk")).toEqual([])
        expect(await inside("github.io")).toEqual(sorted("https://someone.github.io/"))
        expect(await inside("github.com")).toEqual([])
        expect(await inside("localhost", "192.0.2.7")).toEqual(
          sorted("http://localhost:3000/", "http://192.0.2.7/"),
        )
        expect(await inside("2001:db8::1")).toEqual(sorted("http://[2001:db8::1]/"))
        expect(await inside("bücher.example")).toEqual(sorted("https://bücher.example/"))
        const outside = await found(engine, "text", { excludeDomains: ["example.com", "localhost"] })
        expect(outside.sort()).toEqual(sorted(...sites.slice(3, 6), ...sites.slice(7)))
        const both = { includeDomains: ["example.com"], excludeDomains: ["docs.example.com"] }
        expect((await found(engine, "text", both)).sort()).toEqual(
          sorted("https://example.com/", "https://deep.docs.example.com/"),
        )
      })

      test("on dates keeps pages of unknown date unless they must have one", async () => {
        const engine = await open()
        const on = (day: string) =>
          aPage(day, { markdown: `Text of ${day}.`, publishedAt: new Date(`${day}T00:00:00Z`) })
        await engine.index([on("2024-01-01"), on("2024-06-01"), on("1960-05-05"), aPage("undated")])
        await engine.settled()
        const publishedFrom = new Date("2024-01-01T00:00:00Z")
        const publishedBefore = new Date("2024-06-01T00:00:00Z")
        const dated = async (filter: PageFilter) => {
          expect((await found(engine, "text", filter)).sort()).toEqual(
            await foundByWords(engine, "text", filter),
          )
          return (await foundByWords(engine, "text", filter)).map((url) => url.split("/").at(-1))
        }
        expect(await dated({ publishedFrom })).toEqual(["2024-01-01", "2024-06-01", "undated"])
        expect(await dated({ publishedBefore })).toEqual(["1960-05-05", "2024-01-01", "undated"])
        expect(await dated({ publishedFrom, publishedBefore, requirePublished: true })).toEqual([
          "2024-01-01",
        ])
        expect(await dated({ requirePublished: true })).toHaveLength(4)
      })

      test("on languages, sources and phrases drops every other page, and empty lists none", async () => {
        const engine = await open()
        await engine.index([
          aPage("en", { source: 'it\'s 100% "mine"', markdown: "Text: it's 100% sure_thing." }),
          aPage("fr", { language: "fr", source: "b\\c", markdown: "Text, naïve text." }),
          aPage("none", { language: null, title: "Text in a title" }),
        ])
        await engine.settled()
        const only = async (filter: PageFilter) =>
          (await found(engine, "text", filter)).map((url) => url.slice(25))
        expect(await only({ languages: ["fr"] })).toEqual(["fr"])
        expect(await only({ languages: ["xx", "en'"] })).toEqual([])
        expect(await only({ sources: ['it\'s 100% "mine"'] })).toEqual(["en"])
        expect(await only({ sources: ["b\\c"] })).toEqual(["fr"])
        expect(await only({ sources: ["%", "' OR true --"] })).toEqual([])
        expect(await only({ phrases: ["IT'S  100%"] })).toEqual(["en"])
        expect(await only({ phrases: ["it_s"] })).toEqual([])
        expect(await only({ phrases: ["naïve text"] })).toEqual(["fr"])
        expect(await only({ phrases: ["in a title"] })).toEqual(["none"])
        expect(await only({ phrases: ["text", "no such words"] })).toEqual([])
        expect(
          await only({ languages: [], sources: [], phrases: [], includeDomains: [], excludeDomains: [] }),
        ).toHaveLength(3)
      })

      test.skipIf(adapter.isRecorded)(
        "on sources finds a page by each of its own, in every arm, and it comes back with all of them",
        async () => {
          const engine = await open()
          const shared = aPage("shared", {
            source: "b",
            sharedWith: ["a", "it's c"],
            markdown: "Text of pears.",
          })
          const only = aPage("only", { source: "ab", markdown: "Text of more pears." })
          await engine.index([shared, only])
          await engine.settled()
          for (const arms of ["hybrid", "lexical", "vector"] as const) {
            const of = async (...sources: string[]) => {
              const { hits } = await engine.search({ text: "pears", limit: 5, arms, filter: { sources } })
              return hits.map(({ url }) => url.slice(25)).sort()
            }
            for (const source of ["a", "b", "it's c"]) expect(await of(source)).toEqual(["shared"])
            expect(await of("a", "b")).toEqual(["shared"])
            expect(await of("a", "ab")).toEqual(["only", "shared"])
            expect(await of("d", "s c", "a\u001fb")).toEqual([])
          }
          expect(await engine.get(shared.url)).toEqual(shared)
          const { hits } = await engine.search({ text: "pears", limit: 5, filter: { sources: ["a"] } })
          expect(hits[0]).toMatchObject({ source: "b", sharedWith: ["a", "it's c"] })
          expect((await engine.stats()).pages).toBe(2)
        },
      )

      test.skipIf(adapter.isRecorded)(
        "on sources follows a page that gains and loses them, in an engine that reads too",
        async () => {
          const engine = await open()
          const page = aPage("page", { source: "a", markdown: "Text of plums." })
          await engine.index([page])
          await engine.settled()
          const reader = await open({ mode: "read" })
          const by = async (from: Engine, source: string) =>
            (await from.search({ text: "plums", limit: 5, filter: { sources: [source] } })).hits.length
          expect(await by(engine, "b")).toBe(0)
          expect(await by(reader, "b")).toBe(0)
          await engine.index([{ ...page, source: "b", sharedWith: ["a"] }])
          await engine.settled()
          await setTimeout(reader.supports.readerLagMs)
          for (const one of [engine, reader]) {
            expect(await by(one, "a")).toBe(1)
            expect(await by(one, "b")).toBe(1)
          }
          await engine.index([{ ...page, source: "b" }])
          await engine.settled()
          await setTimeout(reader.supports.readerLagMs)
          for (const one of [engine, reader]) {
            expect(await by(one, "a")).toBe(0)
            expect(await by(one, "b")).toBe(1)
          }
          expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
        },
      )

      test("for safe pages drops the others, in every arm, and what a page is comes back", async () => {
        const engine = await open()
        const safe = aPage("safe", { topic: "news", country: "fr", markdown: "Text about cherries." })
        const unsafe = aPage("unsafe", { unsafe: true, markdown: "Text about more cherries." })
        await engine.index([safe, unsafe])
        await engine.settled()
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const query = { text: "cherries", limit: 5, arms }
          const all = await engine.search(query)
          expect(all.hits.map((hit) => `${hit.url} ${hit.unsafe}`).sort()).toEqual([
            `${safe.url} false`,
            `${unsafe.url} true`,
          ])
          const { hits } = await engine.search({ ...query, filter: { safe: true } })
          expect(hits).toMatchObject([{ url: safe.url, topic: "news", country: "fr", unsafe: false }])
          expect((await engine.search({ ...query, filter: { safe: false } })).hits).toHaveLength(2)
        }
        await engine.index([{ ...unsafe, unsafe: false }])
        expect(await found(engine, "cherries", { safe: true })).toHaveLength(2)
      })

      test("is applied before the limit: few pages among many still fill it", async () => {
        const engine = await open()
        const pages = Array.from({ length: 400 }, (_, i) =>
          aPage(`https://site${i % 100}.example/${i}`, { markdown: `Common words about ${i % 7} things.` }),
        )
        await engine.index(pages)
        await engine.settled()
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const filter = { includeDomains: ["site42.example"] }
          const { hits } = await engine.search({ text: "common words", limit: 4, filter, arms })
          expect(hits).toHaveLength(4)
        }
      })
    })

    describe("a preference", () => {
      const plain = "A recipe for cherry cake with sugar."
      const preferring = async (engine: Engine, preference: PagePreference) => {
        const { hits } = await engine.search({
          text: "cherry cake recipe",
          limit: 10,
          arms: "lexical",
          preference,
        })
        const scores = hits.map((hit) => hit.score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        const values = hits.map(({ parts }) => parts.fused + parts.boost)
        expect(values).toEqual([...values].sort((a, b) => b - a))
        return hits
      }

      test.each<[string, Partial<Page>, PagePreference]>([
        ["domain", { url: urlOf("https://blog.preferred.example/x") }, { domains: ["preferred.example"] }],
        ["language", { language: "fr" }, { languages: ["de", "fr"] }],
        ["country", { country: "fr" }, { countries: ["fr"] }],
        ["topic", { topic: "news" }, { topic: "news" }],
        [
          "recency",
          { publishedAt: new Date("2026-01-01") },
          { recentAt: new Date("2026-01-03"), domains: [] },
        ],
      ])("for a %s brings its pages up, tells by how much, and drops none", async (_, about, preference) => {
        const engine = await open()
        await engine.index([
          aPage("better", { markdown: plain }),
          { ...aPage("preferred", { markdown: `${plain} With love.` }), ...about },
          aPage("old", { markdown: `${plain} As it ever was.`, publishedAt: new Date("2020-01-01") }),
          { ...aPage("unrelated", { ...about, markdown: "Weather." }), url: urlOf("unrelated") },
        ])
        await engine.settled()
        const before = await preferring(engine, {})
        const hits = await preferring(engine, preference)
        expect(hits.map((hit) => hit.url).sort()).toEqual(before.map((hit) => hit.url).sort())
        const preferred = hits.find((hit) => hit.markdown.endsWith("With love."))!
        expect(hits.indexOf(preferred)).toBe(0)
        expect(preferred.parts.boost).toBeGreaterThan(0)
        for (const hit of before) expect(hit.parts.boost).toBe(0)
        expect(hits.find((hit) => hit.url === urlOf("better"))!.parts.boost).toBe(0)
        expect(hits[0]!.score).toBeLessThanOrEqual(before[0]!.score)
      })

      test("for news counts how recent they are, and pages without a date gain nothing by it", async () => {
        const engine = await open()
        const news = (name: string, day?: string) =>
          aPage(name, {
            markdown: `${plain} Edition ${name}.`,
            topic: "news",
            publishedAt: day ? new Date(day) : null,
          })
        await engine.index([
          aPage("general", { markdown: plain }),
          news("undated"),
          news("lastyear", "2025-01-01"),
          news("yesterday", "2026-01-01"),
        ])
        await engine.settled()
        const hits = await preferring(engine, { topic: "news", recentAt: new Date("2026-01-02") })
        expect(hits[0]!.url).toBe(urlOf("yesterday"))
        expect(hits.at(-1)!.url).toBe(urlOf("general"))
        const gain = (name: string) => {
          const { parts } = hits.find((hit) => hit.url === urlOf(name))!
          return parts.boost / parts.fused
        }
        expect(gain("undated")).toBeLessThan(gain("yesterday"))
        expect(gain("lastyear")).toBeCloseTo(gain("undated"), 3)
      })

      test("finds its pages though many others match better", async () => {
        const engine = await open()
        const others = Array.from({ length: 400 }, (_, i) =>
          aPage(`o/${i}`, { markdown: `Cherry cake recipe ${rareWord(i)}: cherry cake, cherry cake.` }),
        )
        const far = aPage("https://far.example/", { markdown: "A cherry cake recipe and something else." })
        await engine.index([...others, far])
        await engine.settled()
        for (const arms of ["hybrid", "lexical"] as const) {
          const query = { text: "cherry cake recipe", limit: 400, arms }
          const preference = { domains: ["far.example"] }
          const { hits } = await engine.search({ ...query, limit: 20, preference })
          expect({ arms, urls: hits.map((hit) => hit.url) }).toMatchObject({
            arms,
            urls: expect.arrayContaining([far.url]),
          })
          const both = { ...query, limit: 20, preference, filter: { excludeDomains: ["far.example"] } }
          expect((await engine.search(both)).hits.map((hit) => hit.url)).not.toContain(far.url)
        }
      })
    })

    describe("pages of one text", () => {
      const article = Array.from(
        { length: 90 },
        (_, i) => `${rareWord(i % 45)} stands by ${rareWord(i)}.`,
      ).join(" ")

      test("under several addresses come once, under the plainest, and others fill the limit", async () => {
        const engine = await open()
        const addresses = [
          "https://example.com/article?ref=feed",
          "http://example.com/article",
          "https://www.example.com/article",
          "https://example.com/article",
          "https://example.com/print/article",
          "https://mirror.example.org/a/b/article",
        ]
        await engine.index([
          ...addresses.map((url) => aPage(url, { title: "Article", markdown: article })),
          ...[1, 2, 3].map((i) =>
            aPage(`other/${i}`, {
              title: `Other ${i}`,
              markdown: `${rareWord(0)} in passing, ${rareWord(50 + i)}.`,
            }),
          ),
        ])
        await engine.settled()
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const { hits } = await engine.search({ text: `${rareWord(0)} article`, limit: 4, arms })
          const articles = hits.filter((hit) => hit.title === "Article").map((hit) => hit.url)
          expect(articles).toEqual(["https://example.com/article"])
          expect(arms === "vector" || hits.length === 4).toBe(true)
        }
        const filter = { includeDomains: ["mirror.example.org"] }
        expect(await found(engine, `${rareWord(0)} article`, filter)).toEqual([addresses[5]])
      })

      test("come once when a copy differs by a few words, and pages of one template stay apart", async () => {
        const engine = await open()
        const template = (name: string) => `Class ${name} is final. ${article}`
        await engine.index([
          aPage("article", { title: "Article", markdown: article }),
          aPage("print/article", { title: "Article (print version)", markdown: `${article} Printed today.` }),
          aPage("class/a", { title: "Class Alpha", markdown: template("Alpha") }),
          aPage("class/b", { title: "Class Beta", markdown: template("Beta") }),
          aPage("short/a", { title: "One", markdown: `${rareWord(0)} is missing.` }),
          aPage("short/b", { title: "Two", markdown: `${rareWord(0)} is missing.` }),
        ])
        expect((await foundByWords(engine, rareWord(0))).map((url) => url.slice(25))).toEqual([
          "article",
          "class/a",
          "class/b",
          "short/a",
          "short/b",
        ])
      })

      test("are told apart again when one of them changes", async () => {
        const engine = await open()
        const copy = aPage("copy/of/it", { title: "Article", markdown: article })
        await engine.index([aPage("it", { title: "Article", markdown: article }), copy])
        expect(await foundByWords(engine, rareWord(0))).toEqual([urlOf("it")])
        await engine.index([{ ...copy, markdown: `${rareWord(0)} has moved.` }])
        expect(await foundByWords(engine, rareWord(0))).toEqual([urlOf("copy/of/it"), urlOf("it")])
        await engine.index([copy])
        await engine.remove([urlOf("it")])
        expect(await foundByWords(engine, rareWord(0))).toEqual([copy.url])
      })
    })

    describe("hits of one host", () => {
      const about = (host: string, i: number) =>
        aPage(`https://${host}/${i}`, { title: `Page ${i}`, markdown: `Cherry cake ${rareWord(i)}.` })

      test("leave room for other hosts that match as well", async () => {
        const engine = await open()
        await engine.index([
          ...Array.from({ length: 20 }, (_, i) => about("big.example", i)),
          ...Array.from({ length: 4 }, (_, i) => about(`small${i}.example`, 20 + i)),
        ])
        const { hits } = await engine.search({ text: "cherry cake", limit: 10, arms: "lexical" })
        const big = hits.map((hit) => new URL(hit.url).hostname === "big.example")
        expect(big.slice(0, 10).filter(Boolean)).toHaveLength(6)
        const all = await engine.search({ text: "cherry cake", limit: 30, arms: "lexical" })
        expect(all.hits).toHaveLength(24)
      })

      test("all stand in their order when no other host is close, and in an index of one host", async () => {
        const engine = await open()
        const pages = Array.from({ length: 12 }, (_, i) => about("big.example", i))
        await engine.index([
          ...pages,
          aPage("https://small.example/", {
            markdown: `Long words of other things. ${"And on. ".repeat(60)} Cherry.`,
          }),
        ])
        const { hits } = await engine.search({ text: "cherry cake", limit: 10, arms: "lexical" })
        expect(hits.every((hit) => hit.url.startsWith("https://big.example/"))).toBe(true)
        expect(hits).toHaveLength(10)
      })
    })

    describe("processes", () => {
      test("an index that was closed opens again with all its pages and vectors", async () => {
        const first = await open()
        await first.index([aPage("kept", { markdown: "Kept over night." })])
        await first.settled()
        await first[Symbol.asyncDispose]()
        const second = await open()
        expect(await second.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
        expect(await foundByWords(second, "night")).toEqual([urlOf("kept")])
        const { hits } = await second.search({ text: "kept over night", limit: 1, arms: "vector" })
        expect(hits).toHaveLength(1)
      })

      test("pages whose vectors were not made yet get them when the index is opened again", async () => {
        const first = await open({ embedding: "off" })
        await first.index([aPage("later", { markdown: "Vectors come later." })])
        expect((await first.stats()).pagesWithoutVectors).toBe(1)
        await first[Symbol.asyncDispose]()
        const second = await open()
        await second.settled()
        expect((await second.stats()).pagesWithoutVectors).toBe(0)
        const { hits } = await second.search({ text: "vectors come later", limit: 1, arms: "vector" })
        expect(hits).toHaveLength(1)
      })

      test("a page that waits for its vectors is not ranked behind those that have them", async () => {
        const first = await open()
        await first.index([
          aPage("old", { markdown: "Hedgehog winter." }),
          aPage("far", { markdown: "Nothing of the kind." }),
        ])
        await first.settled()
        await first[Symbol.asyncDispose]()
        const second = await open({ embedding: "off" })
        await second.index([
          aPage("new", {
            markdown: "A winter nest for a hedgehog: the nest a hedgehog sleeps in all winter.",
          }),
        ])
        expect((await found(second, "hedgehog winter nest"))[0]).toBe(urlOf("new"))
      })

      test("an embedder that fails is tried again, and text is found meanwhile", async () => {
        const embedder = new HashingEmbedder()
        const embed = embedder.embed.bind(embedder)
        let failures = 2
        embedder.embed = async (texts, options) => {
          if (options?.priority === "index" && failures-- > 0) throw new Error("Out of order.")
          return embed(texts, options)
        }
        const engine = await open({ embedder })
        await engine.index([aPage("patient", { markdown: "Patience pays." })])
        expect(await foundByWords(engine, "patience")).toEqual([urlOf("patient")])
        await engine.settled()
        expect((await engine.stats()).pagesWithoutVectors).toBe(0)
        expect(failures).toBeLessThan(0)
      })

      test("searches go on while pages are written, and see every page that was acknowledged", async () => {
        const engine = await open()
        const acknowledged: number[] = []
        const writing = (async () => {
          for (let i = 0; i < 20; i++) {
            await engine.index([aPage(`w/${i}`, { markdown: `Counting ${rareWord(i)} steadily.` })])
            acknowledged.push(i)
          }
        })()
        while (acknowledged.length < 20) {
          const before = acknowledged.length
          const { hits } = await engine.search({ text: "counting steadily", limit: 100, arms: "lexical" })
          expect(hits.length).toBeGreaterThanOrEqual(before)
        }
        await writing
      })

      test("a reader in another process sees a change within the lag", async () => {
        const engine = await open()
        await engine.index([aPage("first", { markdown: "Alpha came first." })])
        const { child, next } = spawnChild("reader")
        expect(await next()).toBe("ready")
        const ask = async (text: string) => {
          child.stdin.write(`${text}\n`)
          return JSON.parse(await next()) as string[]
        }
        expect(await ask("alpha")).toEqual([urlOf("first")])
        await engine.index([aPage("second", { markdown: "Beta came second." })])
        await engine.remove([urlOf("first")])
        await setTimeout(engine.supports.readerLagMs)
        expect(await ask("beta")).toEqual([urlOf("second")])
        expect(await ask("alpha")).toEqual([])
      })

      test("what a writer acknowledged before kill -9 is found, and the index can be written to at once", async () => {
        const { child, next } = spawnChild("writer")
        const acknowledged: string[] = []
        for (let i = 0; i < (adapter.killedAfter ?? 12); i++) acknowledged.push(await next())
        child.kill("SIGKILL")
        await once(child, "exit")
        const engine = await open()
        for (let i = 0; i < acknowledged.length; i++) {
          expect(await foundByWords(engine, rareWord(i))).toEqual([acknowledged[i]])
        }
        await engine.index([aPage("after", { markdown: "Life goes on." })])
        await engine.settled()
        expect(await foundByWords(engine, "life")).toEqual([urlOf("after")])
        expect((await engine.stats()).pagesWithoutVectors).toBe(0)
      })

      test("one may write at a time, any number may read", async () => {
        const writer = await open()
        await expect(adapter.open(place)).rejects.toMatchObject({ code: "INDEX_LOCKED" })
        await writer.index([aPage("shared", { markdown: "Shared by all." })])
        const [one, two] = await Promise.all([open({ mode: "read" }), open({ mode: "read" })])
        expect(await foundByWords(one, "shared")).toEqual([urlOf("shared")])
        expect(await foundByWords(two, "shared")).toEqual([urlOf("shared")])
        await writer[Symbol.asyncDispose]()
        const next = await open()
        expect((await next.stats()).pages).toBe(1)
      })

      test("a reader may come before the first page, and never writes", async () => {
        const reader = await open({ mode: "read" })
        expect(await found(reader, "anything")).toEqual([])
        expect(await reader.stats()).toMatchObject({ pages: 0, pagesWithoutVectors: 0 })
        await expect(reader.index([aPage("a")])).rejects.toMatchObject({ code: "READ_ONLY" })
        await expect(reader.remove([urlOf("a")])).rejects.toMatchObject({ code: "READ_ONLY" })
        const writer = await open()
        await writer.index([aPage("a", { markdown: "At last." })])
        await setTimeout(reader.supports.readerLagMs)
        expect(await foundByWords(reader, "last")).toEqual([urlOf("a")])
      })

      test("an index of another model is refused, with the way out", async () => {
        const engine = await open()
        await engine.index([aPage("a")])
        await engine[Symbol.asyncDispose]()
        for (const mode of ["read", "write"] as const) {
          const other = adapter.open(place, { mode, embedder: new HashingEmbedder("other") })
          await expect(other).rejects.toMatchObject({
            code: "EMBEDDER_MISMATCH",
            message: expect.stringContaining("fossick index upgrade"),
          })
        }
        expect((await (await open()).stats()).pages).toBe(1)
      })

      test("a closed engine says so", async () => {
        const engine = await open()
        await engine[Symbol.asyncDispose]()
        await engine[Symbol.asyncDispose]()
        await expect(engine.search({ text: "x", limit: 1 })).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
        await expect(engine.index([aPage("a")])).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
        await expect(engine.stats()).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
      })
    })
  })
}
