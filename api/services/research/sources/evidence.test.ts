import { describe, expect, test } from "vitest"

import { aSource, aStated } from "../testing/findings.ts"
import { Evidence } from "./evidence.ts"

describe("evidence", () => {
  test("holds a statement once, with every page that says the same", () => {
    const evidence = new Evidence()
    evidence.add(0, "The rotary pump moves water through a rubber hose.", aSource("a"))
    evidence.add(1, "A rotary pump moves the water through rubber hoses.", aSource("b"))
    evidence.add(1, "A rotary pump moves the water through rubber hoses.", aSource("b"))
    expect(evidence.findings).toMatchObject([{ sources: [0, 1], question: 0, disagrees: null }])
    expect(evidence.sources.map(({ title }) => title)).toEqual(["a", "b"])
  })

  test.each([
    [
      "other numbers",
      "The rotary pump moves 40 litres of water an hour.",
      "A rotary pump moves 90 litres of water each hour.",
    ],
    ["a negation", "The rotary pump needs oil in winter.", "The rotary pump does not need oil in winter."],
  ])("keeps both of two that contradict each other by %s, and knows of it", (_, one, other) => {
    const evidence = new Evidence()
    evidence.add(0, one, aSource("a"))
    evidence.add(0, other, aSource("b"))
    expect(evidence.findings).toMatchObject([
      { text: one, disagrees: 1 },
      { text: other, disagrees: 0 },
    ])
  })

  test("cites a text of several pages from the one that the searches found best", () => {
    const evidence = new Evidence()
    const text = "The rotary pump moves water through a rubber hose."
    const stated = aStated({ opens: true })
    for (const [name, score] of [
      ["a", 0.2],
      ["b", 0.9],
      ["c", 0.5],
    ] as const) {
      evidence.met(0, aSource(name).url, score)
      evidence.add(0, text, aSource(name), stated)
    }
    const [finding] = evidence.findings
    expect(finding!.sources.map((place) => evidence.sources[place]!.title)).toEqual(["b", "a", "c"])
    const again = new Evidence(JSON.parse(JSON.stringify(evidence.toRecord())))
    expect(again.scoresOf(again.findings[0]!)).toEqual({ task: 0.9, best: 0.9 })
  })

  test("takes what one page says twice for no contradiction", () => {
    const evidence = new Evidence()
    evidence.add(0, "The rotary pump moves 40 litres of water an hour.", aSource("a"))
    evidence.add(0, "The rotary pump moves 90 litres of water an hour.", aSource("a"))
    expect(evidence.findings.map(({ disagrees }) => disagrees)).toEqual([null, null])
  })

  test("goes on from its record as if it had never stopped", () => {
    const first = new Evidence()
    first.questions.push({ text: "q", label: "Q" })
    first.add(0, "The rotary pump moves water through a rubber hose.", aSource("a"))
    first.searches = 3
    const second = new Evidence(JSON.parse(JSON.stringify(first.toRecord())))
    second.add(0, "A rotary pump moves the water through rubber hoses.", aSource("b"))
    expect(second.toRecord()).toMatchObject({ searches: 3, findings: [{ sources: [0, 1] }] })
    expect(first.findings[0]!.sources).toEqual([0])
  })
})
