import { describe, expect, test } from "vitest"
import { ModelOutage } from "../model-servers/availability.ts"
import type { Reranker } from "../reranker.ts"
import { openAnswerReranker } from "../rerankers/open-reranker.ts"
import { toPassages } from "../text/passages.ts"
import { extractAnswer, type ExtractOptions } from "./extract-answer.ts"

/** All texts mean the same to it: words and readings decide. */
const embedder = { embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => Float32Array.of(1))) }

function page(markdown: string, language = "en") {
  const passages = toPassages(markdown).map((passage, position) => ({ ...passage, position }))
  return { title: "Mill", markdown, passages, language, score: 0.8 }
}

/** Says of each text how well it answers by what it holds; `least` of all others. */
const saying = (chances: Readonly<Record<string, number>>, least = 0.0001): Pick<Reranker, "scores"> => ({
  scores: async (_, texts) =>
    texts.map((text) => Object.entries(chances).find(([part]) => text.includes(part))?.[1] ?? least),
})

const BRAKE = page(
  "The brake of the mill stops the sails with an iron belt.\n\nThe brake of the mill is greased by an apprentice.",
)
const QUESTION = "mill brake"
const answerWith = async (options: Partial<ExtractOptions>, pages = [BRAKE]) =>
  (await extractAnswer(QUESTION, pages, { length: "long", embedder, ...options })).map(({ text }) => text)

describe("question and statement, read together", () => {
  test("the statement that is read as the answer is chosen, and what is read as beside the question stays out", async () => {
    const greased = "The brake of the mill is greased by an apprentice."
    expect(await answerWith({})).toHaveLength(2)
    expect(await answerWith({ reranker: saying({ apprentice: 0.999 }) })).toEqual([greased])
    const [belt, ...more] = await answerWith({ reranker: saying({ "iron belt": 0.999 }) })
    expect(belt).toContain("iron belt")
    expect(more).toEqual([])
    expect(await answerWith({ reranker: saying({ "iron belt": 0.99, apprentice: 0.98 }) })).toHaveLength(2)
  })

  test("a model that is late, away or certain leaves an answer as it is without it", async () => {
    const without = await answerWith({})
    const away: Pick<Reranker, "scores"> = {
      scores: () => Promise.reject(new ModelOutage("The reranker is away.", "")),
    }
    expect(await answerWith({ reranker: away })).toEqual(without)
    const gone = new AbortController()
    const late: Pick<Reranker, "scores"> = {
      scores: (_, _texts, signal) => {
        gone.abort()
        return Promise.reject(signal!.reason as Error)
      },
    }
    expect(await answerWith({ reranker: late, signal: gone.signal })).toEqual(without)
    expect(await answerWith({ reranker: saying({ brake: 1 }) })).toEqual(without)
  })

  test("pages in other languages than English are not read", async () => {
    let asked = 0
    const reranker: Pick<Reranker, "scores"> = {
      scores: async (_, texts) => {
        asked += 1
        return texts.map(() => 0.5)
      },
    }
    const german = page("Die Bremse der Mühle hält die Flügel mit einem Band aus Eisen.", "de")
    await extractAnswer("Bremse der Mühle", [german], { length: "short", embedder, reranker })
    expect(asked).toBe(0)
    await answerWith({ reranker })
    expect(asked).toBe(1)
  })

  test("nor is anything where the newest is asked for, which no such model can tell", async () => {
    const fairs = page(
      "The fair of 2009 was in the town of Ulm.\n\nThe fair of 2021 was in the town of Graz.",
    )
    const reranker = saying({ Ulm: 0.999 })
    const [latest] = await extractAnswer("in which town was the most recent fair", [fairs], {
      length: "short",
      embedder,
      reranker,
    })
    expect(latest?.text).toContain("Graz")
  })

  test("the model that ships tells an answer from what merely has the words", async () => {
    await using reranker = await openAnswerReranker({
      answerReranker: "shipped",
      rerankerTimeoutMs: 60_000,
    })
    const [answer, near] = await reranker!.scores("how many disks may fail in a RAID-6 array", [
      "A RAID-6 array keeps its data when up to two of its drives are lost.",
      "Disks are sold in many shops, and arrays of tulips as well.",
    ])
    expect(answer).toBeGreaterThan(0.5)
    expect(near).toBeLessThan(0.01)
  })
})
