import { describe, expect, test } from "vitest"

import { DEPTHS } from "../ranking/depths.ts"
import type { PageRow } from "../../index/page-record.ts"
import { passagesOf, toPageRow } from "../../index/page-record.ts"
import type { Condition, Nearest, SearchIndex } from "../../index/search-index.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"
import type { Page } from "../../index/page/page.ts"
import { aPage } from "../../testing/pages.ts"
import { parseQueryText } from "../../text/query-text.ts"
import { PageWords } from "../page-words.ts"
import { gather } from "./gather.ts"
import { narrow } from "./narrow.ts"
import { rankAndRead } from "./rank-and-read.ts"
import { toHits } from "./show.ts"
import { takenFor } from "./spelling.ts"
import { understand } from "./understand.ts"

// Each stage of a search on its own, over a few pages in memory.

const PAGES: Readonly<Record<string, Partial<Page>>> = {
  "/pumps": { title: "Pumps", markdown: "Prime the pump before the first start." },
  "/seals": { title: "Seals", markdown: "A seal that leaks is replaced, never glued." },
  "/pumpen": {
    title: "Pumpen",
    markdown: "Die Pumpe wird vor dem ersten Start entlüftet und befüllt.",
    language: "de",
  },
  "/насос": { title: "Насос", markdown: "Насос заполняют водой перед первым пуском.", language: "ru" },
}

const TRAITS = { cosines: { unrelated: 0, same: 1 }, scripts: null }
const anyone = () => true

async function indexOf(changes: Partial<SearchIndex> = {}) {
  const rows = await Promise.all(
    Object.entries(PAGES).map(([path, page]) => toPageRow(aPage(path, page), async () => undefined)),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const id = (title: string) => rows.find((row) => row.title === title)!.id
  const some = (ids: readonly string[]): PageRow[] => ids.flatMap((one) => byId.get(one) ?? [])
  const holds = ({ sections }: PageRow, term: string) => sections.some((one) => one.split(" ").includes(term))
  const among = (conditions: readonly Condition[]) =>
    rows.filter((row) => conditions.every(({ ids }) => ids === undefined || ids.includes(row.id)))
  const asked: (readonly Condition[])[] = []
  const index: SearchIndex = {
    languages: new Map([
      ["en", 0.5],
      ["de", 0.25],
      ["ru", 0.25],
    ]),
    allEmbedded: true,
    hasTermsAtHand: true,
    idf: async (terms) =>
      new Map(terms.map((term) => [term, rows.some((row) => holds(row, term)) ? 2 : 0] as const)),
    corrections: async () => new Map(),
    lexical: async (terms, _limit, conditions) => {
      asked.push(conditions)
      const scores = among(conditions).map(
        (row) => [row.id, terms.filter((term) => holds(row, term)).length] as const,
      )
      return new Map(scores.filter(([, score]) => score > 0))
    },
    nearest: async (_vector, _limit, conditions) =>
      among(conditions).map(({ id: page, revision }, i) => ({
        page,
        revision,
        position: 0,
        cosine: 0.9 - i / 10,
      })),
    holding: async (terms, match, _limit, conditions) =>
      among(conditions)
        .filter((row) => terms[match === "all" ? "every" : "some"]((term) => holds(row, term)))
        .map((row) => row.id),
    withoutVectors: async () => new Set(),
    facts: async (ids) =>
      new Map(some(ids).map((row) => [row.id, JSON.parse(row.facts) as PageFacts] as const)),
    heads: async (ids) => some(ids),
    texts: async (ids) => some(ids).map((row) => ({ ...row, passages: passagesOf(row) })),
    async *passageTerms(ids) {
      for (const row of some(ids)) yield [row.id, row.passage_terms] as const
    },
    passages: async (wanted) =>
      new Map(
        wanted.map(({ head, positions }) => {
          const all = passagesOf(byId.get(head.id)!)
          return [head.id, new Map(positions.map((at) => [at, all[at]!] as const))] as const
        }),
      ),
    markdown: async (heads) =>
      new Map(some(heads.map((head) => head.id)).map((row) => [row.id, row.markdown])),
    ...changes,
  }
  const about = async (text: string, given: Partial<Parameters<typeof understand>[2]> = {}) =>
    await understand(
      index,
      parseQueryText(text),
      { ...given },
      { isReadAgain: false, isForeign: false, pages: 10 },
    )
  return { index, id, rows, about, asked }
}

type Indexed = Awaited<ReturnType<typeof indexOf>>

/** Takes a question through the stages up to the results of both arms. */
async function gathered(
  { index, about }: Indexed,
  text: string,
  plan: Partial<Parameters<typeof gather>[1]> = {},
) {
  const understood = await about(text)
  const scope = (await narrow(index, { limit: 5 }, understood, undefined))!
  const words = new PageWords(index, understood.wordsAsked)
  const evidence = await gather(index, {
    plan: DEPTHS.basic,
    scope,
    understood,
    words,
    embedding: Promise.resolve(new Float32Array([1])),
    traits: TRAITS,
    preference: undefined,
    limit: 5,
    ...plan,
  })
  return { evidence, words, understood }
}

describe("understanding a question", () => {
  test("reads its words in the languages of the pages, or those named by a filter", async () => {
    const { about } = await indexOf()
    const asked = await about("wie wird die Pumpe befüllt")
    expect(asked.languages).toEqual(["en", "de", "ru"])
    expect(asked.spoken).toContain("de")
    const named = await about("wie wird die Pumpe befüllt", { filter: { languages: ["en"] } })
    expect([named.languages, named.spoken]).toEqual([["en"], ["en"]])
  })

  test("looks for a misspelled word and for its corrections", async () => {
    const corrections: SearchIndex["corrections"] = async ({ terms }) =>
      new Map(terms.includes("pmup") ? [["pmup", ["pump"]]] : [])
    const { about } = await indexOf({ corrections })
    expect((await about("pmup")).terms).toEqual(["pmup", "pump"])
  })

  test("weighs a term by all pages searched, and by local ones when others have no data", async () => {
    const { about } = await indexOf()
    const statistics = { pages: 1000, words: new Map([["pump", 1]]) }
    const understood = await about("pump seal", { statistics })
    expect(understood.idf("pump")).toBeGreaterThan(5)
    expect(understood.idf("seal")).toBe(2)
    expect(understood.idfs.get("pump")).toBe(2)
  })
})

describe("narrowing", () => {
  test("a phrase required by the filter and found on no page leaves nothing to search", async () => {
    const { index, about, id } = await indexOf()
    const understood = await about("pump")
    const scopeOf = async (phrase: string) =>
      await narrow(index, { filter: { phrases: [phrase] }, limit: 5 }, understood, undefined)
    expect(await scopeOf("glue the pump")).toBeNull()
    expect((await scopeOf("prime the pump"))?.conditions).toEqual([{ ids: [id("Pumps")] }])
  })

  test("pages with a quoted phrase from the question are marked, and others stay", async () => {
    const { index, about, id } = await indexOf()
    const scope = await narrow(index, { limit: 5 }, await about('"never glued" pump'), undefined)
    expect([...scope!.holders]).toEqual([id("Seals")])
    expect(scope!.conditions).not.toContainEqual({ ids: [id("Seals")] })
  })
})

describe("gathering", () => {
  test("a search by words needs no vector, and one by meaning weighs no words", async () => {
    const indexed = await indexOf()
    const byWords = await gathered(indexed, "pump", { plan: DEPTHS.fast, embedding: undefined })
    expect(byWords.evidence).toMatchObject({ nearest: [], words: byWords.words })
    expect([...byWords.evidence.lexical.keys()]).toContain(indexed.id("Pumps"))
    const byMeaning = await gathered(indexed, "pump", { plan: { ...DEPTHS.basic, arms: "vector" } })
    expect(byMeaning.evidence).toMatchObject({ lexical: new Map(), words: null })
    expect(byMeaning.evidence.nearest).toHaveLength(4)
  })

  test("pages waiting for vectors are recorded, so that they are not penalised", async () => {
    const waits: SearchIndex["withoutVectors"] = async (ids) => new Set(ids)
    const indexed = await indexOf({ allEmbedded: false, nearest: async () => [], withoutVectors: waits })
    const { evidence } = await gathered(indexed, "pump")
    expect([...evidence.waiting]).toContain(indexed.id("Pumps"))
  })

  test("vectors of a language that the model doesn't read are ignored", async () => {
    const indexed = await indexOf()
    const { evidence } = await gathered(indexed, "pump", { traits: { ...TRAITS, scripts: ["Latin"] } })
    expect(evidence.nearest.map(({ page }) => page)).not.toContain(indexed.id("Насос"))
    expect([...evidence.waiting]).toEqual([indexed.id("Насос")])
  })
})

describe("ranking and reading", () => {
  const asked = { limit: 5, reads: anyone, most: 5 }

  test("a page deleted during the search is no longer ranked", async () => {
    const indexed = await indexOf()
    const { index, id } = indexed
    const { evidence } = await gathered(indexed, "pump seal")
    const heads: SearchIndex["heads"] = async (ids) =>
      await index.heads(ids.filter((one) => one !== id("Pumps")))
    const found = await rankAndRead({ ...index, heads }, evidence, asked, async (ranked) => ranked)
    const titles = found.map(({ page }) => page.title)
    expect(titles).toContain("Seals")
    expect(titles).not.toContain("Pumps")
  })

  test("a vector of a page replaced since is ignored", async () => {
    const indexed = await indexOf()
    const { index, id } = indexed
    const { evidence } = await gathered(indexed, "pump seal")
    const replaced = (one: Nearest) => (one.page === id("Seals") ? { ...one, revision: -1 } : one)
    const old = { ...evidence, nearest: evidence.nearest.map(replaced) }
    const found = await rankAndRead(index, old, asked, async (ranked) => ranked)
    const cosines = new Map(found.map(({ page, cosines: own }) => [page.title, own.size]))
    expect(cosines.get("Seals")).toBe(0)
    expect(cosines.get("Pumps")).toBe(1)
  })
})

describe("showing", () => {
  test("a hit has the requested passages, and its text only on request", async () => {
    const indexed = await indexOf()
    const { evidence, words, understood } = await gathered(indexed, "pump")
    const asked = { limit: 1, reads: anyone, most: 5 }
    const found = await rankAndRead(indexed.index, evidence, asked, async (ranked) => ranked)
    const query = { text: understood.question, limit: 1 }
    const [full] = await toHits(indexed.index, found, words, query)
    expect(full).toMatchObject({
      title: "Pumps",
      markdown: PAGES["/pumps"]!.markdown,
      passages: [{ text: PAGES["/pumps"]!.markdown, position: 0 }],
    })
    const bare = { ...query, passagesPerPage: 0, withMarkdown: false }
    expect(await toHits(indexed.index, found, words, bare)).toMatchObject([{ markdown: "", passages: [] }])
  })

  test("a misspelled word is reported as corrected only to a word shown in the hits", async () => {
    const corrections: SearchIndex["corrections"] = async () => new Map([["pmup", ["pump", "puma"]]])
    const indexed = await indexOf({ corrections })
    const { evidence, words, understood } = await gathered(indexed, "pmup")
    const asked = { limit: 1, reads: anyone, most: 5 }
    const found = await rankAndRead(indexed.index, evidence, asked, async (ranked) => ranked)
    const hits = await toHits(indexed.index, found, words, { text: understood.question, limit: 1 })
    expect(takenFor(understood, hits)).toEqual(new Map([["pmup", "pump"]]))
    expect(takenFor(understood, [])).toBeNull()
  })
})
