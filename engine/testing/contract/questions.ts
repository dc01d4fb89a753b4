import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import type { PageFilter } from "../../engine.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

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

export function aQuestion({ open, found, foundByWords }: Stage): void {
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
      expect((await engine.search({ text: "anything", limit: 5 })).hits).toEqual([])
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
      ["Korean", "ko", "서울은 대한민국의 수도이다.", "대한민국", "수도", "대한민국의 수도", "수도 대한민국"],
      ["Thai", "th", "กรุงเทพเป็นเมืองหลวงของประเทศไทย", "เมืองหลวง", "ประเทศไทย", "เมืองหลวงของ", "ไทยประเทศ"],
      ["Arabic", "ar", "القاهرة هي عاصمة مصر.", "عاصمة", "القاهرة", "عاصمة مصر", "مصر عاصمة"],
      ["Hebrew", "he", "ירושלים היא בירת ישראל.", "בירת", "ישראל", "בירת ישראל", "ישראל בירת"],
      ["Hindi", "hi", "दिल्ली भारत की राजधानी है।", "राजधानी", "भारत", "भारत की राजधानी", "राजधानी की"],
      ["Greek", "el", "Η Αθήνα είναι η πρωτεύουσα.", "πρωτεύουσα", "Αθήνα", "η πρωτεύουσα", "πρωτεύουσα η"],
      ["Russian", "ru", "Москва — столица России.", "столица", "Москва", "столица России", "России столица"],
    ])("in %s finds a word, drops one, and tells a phrase from its words", async (...row) => {
      const [, language, text, word, other, phrase, reversed] = row
      const engine = await open()
      const page = aPage("page", { language, markdown: text })
      const second = aPage("second", { language, markdown: `${word} 1234.` })
      await engine.index([page, second, aPage("en", { markdown: "Nothing of the kind." })])
      expect(await foundByWords(engine, word)).toEqual([page.url, second.url])
      expect(await foundByWords(engine, `${word} -${other}`)).toEqual([second.url])
      expect(await foundByWords(engine, word, { phrases: [phrase] })).toEqual([page.url])
      expect(await foundByWords(engine, `${word} -"${phrase}"`)).toEqual([second.url])
      expect(await foundByWords(engine, word, { phrases: [reversed] })).toEqual([])
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

    test("in quotes finds pages that hold the phrase word by word first, and others behind them", async () => {
      const engine = await open()
      if (!engine.supports.exactPhrase) return
      await engine.index([
        aPage("phrase", { markdown: "The *quick*\nbrown fox jumps." }),
        aPage("words", { markdown: "A fox that is brown and quick." }),
      ])
      await engine.settled()
      expect(await found(engine, '"quick brown fox"')).toEqual([urlOf("phrase"), urlOf("words")])
      expect(await found(engine, 'fox "brown and quick"')).toEqual([urlOf("words"), urlOf("phrase")])
      expect((await found(engine, '"brown quick"')).toSorted()).toEqual([urlOf("phrase"), urlOf("words")])
      const { hits } = await engine.search({ text: 'what is "brown and quick"', limit: 5 })
      const scores = hits.map((hit) => hit.score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    })

    test("that asks for pages with a phrase finds no others, wherever in a long page it stands", async () => {
      const engine = await open({ embedding: "off" })
      if (!engine.supports.exactPhrase) return
      const words = Array.from({ length: 1500 }, (_, i) => rareWord(i))
      await engine.index([
        aPage("long", { markdown: words.map((word, i) => `${word}${i % 9 === 8 ? "." : ""}`).join(" ") }),
        aPage("words", { markdown: words.toReversed().join(" ") }),
      ])
      const held = (...phrases: string[]) => foundByWords(engine, words[700]!, { phrases })
      const phrase = (from: number, length: number) => words.slice(from, from + length).join(" ")
      for (let from = 8; from < 1480; from += 90)
        expect(await held(phrase(from + 1, 8))).toEqual([urlOf("long")])
      expect(await held(phrase(9, 5), phrase(1404, 5))).toEqual([urlOf("long")])
      expect(await held(phrase(9, 5), `${words[5]} ${words[3]}`)).toEqual([])
      expect(await held(`${words[9]} ${words[7]}`)).toEqual([])
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
      const demanded = async (phrase: (i: number) => string) => {
        const phrases = Array.from({ length: 500 }, (_, i) => phrase(i))
        return await found(engine, "fox", { phrases })
      }
      expect(await demanded(() => "brown fox")).toEqual([urlOf("phrase")])
      expect(await demanded((i) => `fox ${i}`)).toEqual([])
      expect(await demanded((i) => String.fromCodePoint(0x2190 + i))).toEqual([])
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

    test("drops no page for a word that stands in its address alone", async () => {
      const engine = await open({ embedding: "off" })
      await engine.index([
        aPage("https://shop.example/garden/roses", { markdown: "Roses and thorns." }),
        aPage("https://shop.example/kitchen/roses", { markdown: "Roses for the garden table." }),
      ])
      expect(await foundByWords(engine, "roses -garden")).toEqual(["https://shop.example/garden/roses"])
      expect(await foundByWords(engine, "kitchen")).toEqual(["https://shop.example/kitchen/roses"])
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
      expect(await ask("cherries site:example.com", { includeDomains: ["docs.example.com"] })).toEqual(["b"])
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
      const scoreOf = async (text: string) => (await engine.search({ text, limit: 1 })).hits[0]!.parts.lexical
      expect(await scoreOf("rosse garden")).toBeLessThan(await scoreOf("roses garden"))
      await engine.index([aPage("harden", { markdown: "Harden the steel." })])
      expect(await foundByWords(engine, "garden")).toEqual([urlOf("garden")])
      expect(await foundByWords(engine, "kuberntes -containers")).toEqual([])
      expect(await foundByWords(engine, "kubernetes", { phrases: ["kuberntes"] })).toEqual([])
      expect(await foundByWords(engine, "gard3n zzzzzz")).toEqual([])
    })

    test("that no page answers has low scores: nonsense, another subject, another number", async () => {
      const engine = await open()
      await engine.index([
        aPage("pumps", { title: "Pumps", markdown: "The pump of 2019 moves 40 litres of water a minute." }),
        aPage("seals", { title: "Seals", markdown: "Seals keep the water in the pump." }),
      ])
      await engine.settled()
      const best = async (text: string) =>
        (await engine.search({ text, limit: 1, depth: "fast" })).hits[0]?.score ?? 0
      const answered = await best("litres of water that the pump of 2019 moves")
      expect(answered).toBeGreaterThan(0.3)
      for (const text of ["zzqxv wubbleflorp", "best pizza in Naples", "water sports in Greek villages"])
        expect(await best(text)).toBeLessThan(0.1)
      expect(await best("litres of water that the pump of 2024 moves")).toBeLessThan(answered / 2)
    })

    test("with a word that one page has misspelt finds the usual spelling first, and that page, too", async () => {
      const engine = await open()
      if (!engine.supports.typoTolerance) return
      const manual = Array.from({ length: 20 }, (_, i) =>
        aPage(`vacuum-${i}`, {
          title: `Vacuum ${i}`,
          markdown: "A vacuum gives the room of deleted rows back.",
        }),
      )
      const slip = aPage("release", { title: "Release 3.1", markdown: "The pragma auto_vaccum is new." })
      await engine.index([...manual, slip])
      await engine.settled()
      const { hits } = await engine.search({ text: "vaccum", limit: 30, arms: "lexical" })
      expect(hits).toHaveLength(21)
      expect(hits[0]!.title).toMatch(/^Vacuum/)
      expect(hits.map(({ url }) => url)).toContain(urlOf("release"))
    })

    test("with misspelt words tells which words of the pages they were taken for", async () => {
      const engine = await open()
      if (!engine.supports.typoTolerance) return
      await engine.index([
        aPage("roses", { title: "Watering", markdown: "Roses are watered in the evening." }),
        aPage("pumps", { markdown: "A pump carries the water." }),
      ])
      await engine.settled()
      const taken = async (text: string, filter: PageFilter = {}) => {
        const { corrected } = await engine.search({ text, limit: 5, filter })
        return corrected && Object.fromEntries(corrected)
      }
      expect(await taken("Wattering rosse")).toEqual({ wattering: "watering", rosse: "roses" })
      expect(await taken("watering roses")).toBeUndefined()
      expect(await taken("zzzzzz roses")).toBeUndefined()
      // A word isn't shown unless it is on a shown page.
      expect(await taken("rosse pump", { phrases: ["a pump carries"] })).toBeUndefined()
    })

    test("with a short word misspelt, or one whose stem is far from that of the right one, finds it, too", async () => {
      const engine = await open()
      if (!engine.supports.typoTolerance) return
      await engine.index([
        aPage("stash", { markdown: "A stash of changes." }),
        aPage("hooks", { markdown: "Hooks run before a commit." }),
        aPage("views", { markdown: "Views are queries with a name." }),
        aPage("credentials", { markdown: "Credentials are asked for once." }),
      ])
      expect(await foundByWords(engine, "stahs")).toEqual([urlOf("stash")])
      expect(await foundByWords(engine, "hoks")).toEqual([urlOf("hooks")])
      expect(await foundByWords(engine, "veiws")).toEqual([urlOf("views")])
      expect(await foundByWords(engine, "credntials")).toEqual([urlOf("credentials")])
    })

    test("can be called off", async () => {
      const engine = await open()
      await engine.index([aPage("a")])
      const signal = AbortSignal.abort()
      await expect(engine.search({ text: "text", limit: 1 }, { signal })).rejects.toThrow(/abort/i)
    })
  })
}
