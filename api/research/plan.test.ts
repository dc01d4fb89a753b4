import { describe, expect, test } from "vitest"

import { hit } from "../testing/fake-engine.ts"
import { gaps, questionsOf, subtopics } from "./plan.ts"

const texts = (input: string) => questionsOf(input).map(({ text }) => text)

describe("the questions of an input", () => {
  test("begin with the whole of it", () => {
    expect(texts("  How do pumps work?  ")).toEqual(["How do pumps work?"])
  })

  test("are its sentences and clauses", () => {
    expect(texts("How do pumps work, and what do they cost?")).toEqual([
      "How do pumps work, and what do they cost?",
      "How do pumps work",
      "what do they cost?",
    ])
    expect(texts("Explain rotary pumps briefly.\n- List the makers of seals\n- Hi")).toEqual([
      "Explain rotary pumps briefly.\n- List the makers of seals\n- Hi",
      "Explain rotary pumps briefly.",
      "List the makers of seals",
    ])
  })

  test("are both sides of a comparison, and the items of a list", () => {
    expect(texts("Compare PostgreSQL and SQLite")).toEqual(expect.arrayContaining(["PostgreSQL", "SQLite"]))
    expect(texts("Rust vs. Go")).toEqual(expect.arrayContaining(["Rust", "Go"]))
    expect(texts("Maintenance of pumps: seals, bearings and oil")).toEqual(
      expect.arrayContaining([
        "Maintenance pumps seals",
        "Maintenance pumps bearings",
        "Maintenance pumps oil",
      ]),
    )
  })

  test("are few, however long the input, and have short labels", () => {
    const input = Array.from({ length: 50 }, (_, i) => `Explain the matter number ${i} of many.`).join(" ")
    const questions = questionsOf(input)
    expect(questions.length).toBeLessThanOrEqual(8)
    for (const { label } of questions) expect(label.length).toBeLessThanOrEqual(92)
  })

  test("are found in an input of blanks, which leaves countless ways to share them out", () => {
    expect(texts(`compare${" ".repeat(19_000)}rotary pumps${"\t ".repeat(400)}and piston pumps`)).toEqual([
      "compare rotary pumps and piston pumps",
      "rotary pumps",
      "piston pumps",
    ])
  })
})

describe("subtopics", () => {
  const page = (url: string, ...headings: string[]) =>
    hit({
      url: url as never,
      passages: headings.map((heading, position) => ({
        text: "Some Big Name is here.",
        headings: ["Top", heading],
        position,
      })),
    })

  test("are headings of the pages found that say more than the input, each once", async () => {
    const hits = [
      page("https://a.example/", "Pump seals", "Overview", "Priming a pump"),
      page("https://b.example/", "Pump seals", "Pumps"),
    ]
    const found = await subtopics("pumps", hits, { count: 5, known: [] })
    expect(found.map(({ label }) => label)).toEqual(["Pump seals", "Priming a pump"])
    const known = [{ text: "Pump seals", label: "Pump seals" }]
    expect((await subtopics("pumps", hits, { count: 5, known })).map(({ label }) => label)).toEqual([
      "Priming a pump",
    ])
    expect(await subtopics("pumps", hits, { count: 1, known: [] })).toHaveLength(1)
  })

  test("are searched for within the matter, and names count when asked for", async () => {
    const hits = [page("https://a.example/", "Wear"), page("https://b.example/", "Wear")]
    expect(await subtopics("rotary pumps", hits, { count: 1, known: [] })).toEqual([
      { text: "rotary pumps Wear", label: "Wear" },
    ])
    const named = await subtopics("rotary pumps", hits, { count: 5, known: [], names: true })
    expect(named.map(({ label }) => label)).toContain("Some Big Name")
  })
})

test("gaps are words of the input that nothing found speaks of", () => {
  expect(gaps("price of rotary pumps", new Set(["rotari", "pump"]), [], 3)).toEqual([
    { text: "price rotary pumps", label: "Price" },
  ])
  expect(gaps("price of rotary pumps", new Set(["rotari", "pump", "price"]), [], 3)).toEqual([])
})
