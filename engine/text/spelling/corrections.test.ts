import { describe, expect, test } from "vitest"
import { analyseQuery } from "../analysis/analyse.ts"
import { correctionsAmong, correctionsOf } from "./corrections.ts"

const PAGES = 1000
/** How many pages contain each term. */
const COUNTS = new Map([
  ["variabl", 60],
  ["varibl", 2],
  ["vacuum", 40],
  ["vaccum", 3],
  ["follow", 300],
  ["fallow", 1],
  ["syntax", 30],
  ["max", 90],
])
const pagesWith = (term: string) => COUNTS.get(term) ?? 0

const corrected = async (question: string, language: string | null = "en") => {
  const known = { pages: PAGES, pagesWith, isHeld: async () => false }
  return Object.fromEntries(await correctionsOf(analyseQuery(question, language), known))
}

describe("a word that a page misspells", () => {
  test("can also mean the usual spelling", async () => {
    expect(await corrected("max varible")).toEqual({ varibl: ["variabl", "varibl"] })
    expect(await corrected("max varible", null)).toEqual({ varibl: ["variabl", "varibl"] })
  })

  test("means only itself when the other spelling is not twenty times as frequent", async () => {
    expect(await corrected("sqlite vaccum")).not.toHaveProperty("vaccum")
  })

  test("means only itself when it is in the dictionary, and in a language without one", async () => {
    expect(await corrected("fallow land")).not.toHaveProperty("fallow")
    expect(await corrected("max varible", "de")).toEqual({})
  })
})

test("a word found on no page is corrected to a near one", async () => {
  expect(await corrected("max sintax")).toEqual({ sintax: ["syntax"] })
})

describe("with several indexes", () => {
  const among = async (
    corrections: Readonly<Record<string, string[]>>,
    counts: Readonly<Record<string, number>>,
  ) =>
    Object.fromEntries(
      await correctionsAmong(
        new Map(Object.entries(corrections)),
        analyseQuery(Object.keys(corrections).join(" "), "en"),
        (term) => counts[term] ?? 0,
      ),
    )

  test("a word found in another one is not corrected", async () => {
    const corrections = { hier: ["here"], teh: ["the"], unknwon: ["unknown"] }
    expect(await among(corrections, { hier: 1, teh: 0 })).toEqual({ teh: ["the"], unknwon: ["unknown"] })
  })

  test("a typo found in another one is corrected, unless it is in the dictionary or about as frequent as the usual spelling", async () => {
    const slip = { varibl: ["variabl"] }
    expect(await among(slip, { varibl: 1, variabl: 20 })).toEqual({ varibl: ["variabl", "varibl"] })
    expect(await among(slip, { varibl: 3, variabl: 20 })).toEqual({})
    expect(await among({ fallow: ["follow"] }, { fallow: 1, follow: 50 })).toEqual({})
  })
})
