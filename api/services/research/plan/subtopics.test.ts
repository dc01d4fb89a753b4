import { describe, expect, test } from "vitest"

import { hit } from "../../../testing/fake-engine.ts"
import { planOf } from "./parts.ts"
import { followUps, isTopic, subtopics } from "./subtopics.ts"

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

  test("are headings from the found pages that add to the input, each once", async () => {
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

  test("belong to a subject, not to a question", () => {
    expect(["rotary pumps", "Report on rotary pumps"].map(isTopic)).toEqual([true, true])
    expect(["How do pumps work", "Was kostet eine Pumpe?"].map(isTopic)).toEqual([false, false])
  })

  test("are searched for together with the topic", async () => {
    const hits = [page("https://a.example/", "Wear"), page("https://b.example/", "Wear")]
    expect(await subtopics("rotary pumps", hits, { count: 1, known: [] })).toEqual([
      { text: "rotary pumps Wear", label: "Wear" },
    ])
  })
})

describe("follow-up questions", () => {
  const [work, cost] = planOf("How does a rotary pump work, and what does it cost?")
  const found = [
    { part: work!, headings: [["Rotary pumps", "2.1. Rollers and hoses"]] },
    { part: cost!, headings: [] },
  ]

  test("look for unanswered parts, and start from the page nearest to the task", () => {
    const questions = followUps(found, "Catalogue of pumps", { count: 5, known: [], deeper: false })
    expect(questions).toEqual([
      { text: "cost Catalogue pumps", label: "What does it cost", follows: cost!.text },
    ])
    const sides = planOf("Compare tea and coffee").map((part) => ({ part, headings: [] }))
    const options = { count: 3, known: [], deeper: false }
    expect(followUps(sides, "Drinks", options).map(({ text }) => text)).toEqual([
      "tea Drinks",
      "tea",
      "coffee Drinks",
    ])
    expect(followUps(found, "Catalogue of pumps", { count: 5, known: questions, deeper: false })).toEqual([])
    expect(followUps(found, null, { count: 5, known: [], deeper: false })).toEqual([])
  })

  test("go deeper into the sections that answer, up to a limit", () => {
    const questions = followUps(found, "Catalogue of pumps", { count: 3, known: [], deeper: true })
    expect(questions.map(({ text, follows }) => [text, follows])).toContainEqual([
      "rotary pump Rollers hoses",
      work!.text,
    ])
    expect(followUps(found, "Catalogue of pumps", { count: 1, known: [], deeper: true })).toHaveLength(1)
  })
})
