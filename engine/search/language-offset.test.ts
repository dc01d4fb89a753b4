import { describe, expect, test } from "vitest"
import { LanguageOffsets, offsetFor } from "./language-offset.ts"
import { clearlyIn } from "./reader-language.ts"

const shares = (languages: Readonly<Record<string, number>>) => new Map(Object.entries(languages))

describe("moving a question's vector", () => {
  test.each([
    ["怎样加水泵", { en: 1 }, { from: "zh", to: "en" }],
    ["как заполняют насос", { en: 0.9, de: 0.1 }, { from: "ru", to: "en" }],
    ["wie wird die Pumpe entlüftet und befüllt?", { fr: 0.99, de: 0.01 }, { from: "de", to: "fr" }],
  ] as const)("goes from its language to that of most pages: %s", (question, pages, offset) => {
    expect(offsetFor(clearlyIn(question), shares(pages))).toEqual(offset)
  })

  test.each<[why: string, question: string, pages: Record<string, number>]>([
    ["some pages are in its language", "wie wird die Pumpe entlüftet und befüllt?", { en: 0.9, de: 0.1 }],
    ["its language is not clear", "Pumpe XR-7", { en: 1 }],
    ["no language has most of the pages", "怎样加水泵", { en: 0.5, de: 0.5 }],
    ["the languages of the pages are unknown", "怎样加水泵", {}],
    ["no everyday questions are known in it", "როგორ მუშაობს ტუმბო", { en: 1 }],
  ])("does not happen when %s", (_, question, pages) => {
    expect(offsetFor(clearlyIn(question), shares(pages))).toBeNull()
  })
})

describe("vectors", () => {
  const CHINESE = /\p{Script=Han}/u
  /** The first two values encode the subject of a text; the last and largest its language. */
  const vectorOf = async (text: string) => {
    const about = text.includes("pump") || text.includes("泵") ? [1, 0] : [0, 1]
    return unit([...about, CHINESE.test(text) ? 3 : -3])
  }
  const unit = (values: readonly number[]) => {
    const length = Math.hypot(...values)
    return Float32Array.from(values, (value) => value / length)
  }
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

  test("come closer to the pages' language, and keep unit length", async () => {
    const question = await vectorOf("水泵")
    const page = await vectorOf("pump")
    const moved = await new LanguageOffsets(vectorOf).moved(question, { from: "zh", to: "en" })
    expect(cosine(moved, page)).toBeGreaterThan(cosine(question, page) + 0.5)
    expect(Math.hypot(...moved)).toBeCloseTo(1)
  })

  test("of everyday questions are requested once; after a failure nothing moves, and they are requested again", async () => {
    const asked: string[] = []
    let isAway = true
    const offsets = new LanguageOffsets(async (text) => {
      asked.push(text)
      if (isAway) throw new Error("away")
      return await vectorOf(text)
    })
    const question = await vectorOf("水泵")
    const move = () => offsets.moved(question, { from: "zh", to: "en" })
    expect(await move()).toBe(question)
    isAway = false
    asked.length = 0
    expect(await move()).not.toBe(question)
    const once = asked.length
    await Promise.all([move(), move()])
    expect(asked).toHaveLength(once)
    expect(new Set(asked).size).toBe(once)
  })
})
