import { describe, expect, test } from "vitest"
import type { Page } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { type Fact, halfOf } from "../../questions/judged/judged-question.ts"
import { JUDGED_QUESTIONS, JUDGED_TASKS } from "../../questions/judged/judged-questions.ts"
import { withAnswers, withIndex } from "./ask.ts"
import { citedPieces } from "./cited-pieces.ts"
import { faultsOf, says } from "./facts.ts"
import { Judgements, lineOf } from "./judgements.ts"
import { HEAD, type Marks, marksOf, rowOf } from "./marks.ts"

const fact = (page: string, ...says: readonly string[]): Fact => ({ on: [page], says })

const urlOf = (path: string): string => `http://manuals.example/${path}`
const PUMPS = "# Pumps\n\nThe seal of a water pump is replaced every 4000 hours. A pump moves water uphill."
const MILLS = "# Mills\n\nA wind mill grinds wheat to flour. Millers are paid in flour."
const PAGES = [
  aPage(urlOf("pumps.html"), { title: "Pumps", markdown: PUMPS }),
  aPage(urlOf("mills.html"), { title: "Mills", markdown: MILLS }),
]
const QUESTION = "how often is the seal of a water pump replaced"

describe("an answer over a tiny collection", () => {
  test("is requested over a socket and counted, with its sentences judged by a reader's verdicts", async () => {
    const marks: Marks[] = []
    const lines: string[] = []
    const facts = [fact("pumps.html", "every 4000 hours", "each 4000 hours")]
    await withIndex(pagesOf(PAGES), { embedder: new HashingEmbedder(), vectors: false }, (indexed) =>
      withAnswers(indexed, async (ask) => {
        const answer = await ask(QUESTION, "basic")
        lines.push(...answer.pieces.map(({ text }) => lineOf(QUESTION, text)))
        marks.push(marksOf(answer, facts, new Judgements(""), urlOf))
        const judged = new Judgements(lines.join("\n").replaceAll(/^\?/gm, "y"))
        marks.push(marksOf(answer, facts, judged, urlOf))
        marks.push(marksOf(await ask("who painted the Mona Lisa", "advanced"), [], judged, urlOf))
      }),
    )
    const [unread, read, nothing] = marks
    expect(unread).toMatchObject({
      refused: false,
      held: 1,
      wanted: 1,
      pagesCited: 1,
      onQuestion: 0,
      invented: 0,
    })
    expect(unread!.unjudged).toBe(unread!.sentences)
    expect(read).toMatchObject({ onQuestion: unread!.sentences, unjudged: 0 })
    expect(nothing).toMatchObject({ refused: true, sentences: 0, words: 0 })
    expect(lines[0]).toMatch(/^\? [0-9a-f]{16} how often .* → The seal of a water pump/)
  })

  test("is marked for what is missing: a side, its page, or words that the page does not contain", () => {
    const said = {
      question: "pumps or mills",
      pieces: [{ text: "A pump moves water uphill.", urls: [urlOf("pumps.html")] }],
      invented: ["A pump moves water uphill."],
    }
    const sides = [fact("pumps.html", "moves water"), fact("mills.html", "grinds wheat")]
    const marks = marksOf(
      said,
      sides,
      new Judgements(lineOf(said.question, "another").replace("?", "n")),
      urlOf,
    )
    expect(marks).toMatchObject({
      held: 1,
      wanted: 2,
      pagesCited: 1,
      pagesWanted: 2,
      unjudged: 1,
      invented: 1,
    })
    expect(Object.fromEntries(HEAD.map((name, at) => [name, rowOf([marks])[at]]))).toMatchObject({
      "facts held": "0 of 1",
      "each fact": "1 of 2",
      "right pages": "0 of 1",
      refused: 0,
      "on the question": "",
      unjudged: 1,
    })
  })
})

describe("judgements", () => {
  const line = lineOf("a question", "A sentence\nof two lines.")

  test("apply if question and sentence are the same except for white space", () => {
    const judgements = new Judgements(
      `# by a reader\n\n${line.replace("?", "n")}\n${lineOf("a question", "Open.")}`,
    )
    expect(judgements.of("a question", " A sentence of  two lines. ")).toBe(false)
    expect(judgements.of("another question", "A sentence of two lines.")).toBeNull()
    expect(judgements.of("a question", "Open.")).toBeNull()
  })

  test("reject contradictions and invalid lines", () => {
    expect(() => new Judgements(`${line.replace("?", "y")}\n${line.replace("?", "n")}`)).toThrow("line 2")
    expect(() => new Judgements(`maybe ${line}`)).toThrow("line 1")
  })

  test("can be read back when stored", () => {
    expect(Judgements.kept("answers").of("a question", "that nobody asked")).toBeNull()
    expect(Judgements.kept("reports").of("a question", "that nobody asked")).toBeNull()
  })
})

describe("wordings", () => {
  test("match whatever marks, quotes and blanks are between the words", () => {
    expect(says("Run `lxc-create`\n **now**", { says: ["LXC-create now"] })).toBe(true)
    expect(says("a package’s “conffiles” | file", { says: ['package\'s "conffiles" file'] })).toBe(true)
    expect(says("65535: this value *must not* be used", { says: ["65535…must not be used"] })).toBe(true)
    expect(says(`65535 ${"x".repeat(120)} must not`, { says: ["65535…must not"] })).toBe(false)
    expect(says("a.b", { says: ["a+b"] })).toBe(false)
  })

  test("that no page contains are errors in the set", () => {
    const pages = new Map(PAGES.map((page) => [page.url.replace(urlOf(""), ""), page]))
    const on = ["pumps.html"]
    expect(faultsOf([{ on, says: ["every 4000 hours"] }], pages)).toEqual([])
    expect(faultsOf([{ on, says: ["every 4000 hours", "never"] }], pages)).toEqual([
      "none of pumps.html says: never",
    ])
    expect(faultsOf([fact("wells.html", "deep")], pages)[0]).toContain("wells.html is missing")
  })
})

test("a text is split after its citations", () => {
  expect(citedPieces("One. [1][2] Two:\ncode [3]\nThree")).toEqual([
    { text: "One.", numbers: [1, 2] },
    { text: "Two:\ncode", numbers: [3] },
    { text: "Three", numbers: [] },
  ])
})

describe("the judged set", () => {
  const all = Object.values(JUDGED_QUESTIONS).flat()

  test("repeats no question, and has the same mix of kinds in both halves", () => {
    const texts = [...all.map(({ text }) => text), ...JUDGED_TASKS.map(({ input }) => input)]
    expect(new Set(texts).size).toBe(texts.length)
    expect(all.length).toBeGreaterThanOrEqual(120)
    for (const questions of [...Object.values(JUDGED_QUESTIONS), JUDGED_TASKS])
      expect(halfOf<unknown>(questions, "tune").length).toBe(halfOf<unknown>(questions, "kept").length)
  })

  test("requires a fact for each side of a comparison, and none for questions to refuse", () => {
    expect(JUDGED_QUESTIONS["comparison"]!.filter(({ facts }) => (facts?.length ?? 0) < 2)).toEqual([])
    const refused = [...JUDGED_QUESTIONS["unanswerable"]!, ...JUDGED_QUESTIONS["off-topic"]!]
    expect(all.filter(({ facts }) => facts === null)).toEqual(refused)
    expect(halfOf(JUDGED_TASKS, "kept").filter(({ parts }) => parts === null).length).toBe(1)
  })
})

async function* pagesOf(pages: readonly Page[]): AsyncGenerator<Page> {
  yield* pages
}
