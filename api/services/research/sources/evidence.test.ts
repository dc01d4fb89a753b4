import { describe, expect, test } from "vitest"

import { aSource, aUnit } from "../testing/findings.ts"
import { Evidence, type EvidenceRecord } from "./evidence.ts"

const WORK = { text: "How does a rotary pump work", label: "Work" }
const COST = { text: "What does a rotary pump cost", label: "Cost" }

function gathered(record: EvidenceRecord | null = null): Evidence {
  const evidence = new Evidence(record, [])
  if (record === null) evidence.questions.push(WORK, COST)
  return evidence
}
const again = (evidence: Evidence) => new Evidence(JSON.parse(JSON.stringify(evidence.toRecord())), [])

describe("evidence", () => {
  test("stores a unit once, with every page that says the same", () => {
    const evidence = gathered()
    const [one, other] = [
      "The rotary pump moves water through a rubber hose.",
      "A rotary pump moves the water through rubber hoses.",
    ]
    evidence.add(0, aUnit(one), aSource("a"))
    evidence.add(0, aUnit(other), aSource("b"))
    evidence.add(0, aUnit(other), aSource("b"))
    expect(evidence.findings).toMatchObject([{ text: one, sources: [0, 1], disagrees: null }])
    expect(evidence.sources.map(({ title }) => title)).toEqual(["a", "b"])
  })

  test("cites no page that lacks the numbers or the command of the unit", () => {
    const evidence = gathered()
    const [one, other] = ["The pump of the mill weighs 40 pounds.", "The pump of the mill weighs pounds."]
    evidence.add(0, aUnit(one), aSource("a"))
    evidence.add(0, aUnit(other), aSource("b"))
    evidence.add(0, aUnit(`${one}\n\`\`\`\nweigh\n\`\`\``, { kind: "code" }), aSource("c"))
    expect(evidence.findings.map(({ sources }) => sources)).toEqual([[0], [1], [2]])
  })

  test("knows which questions a unit answers, and how surely", () => {
    const evidence = gathered()
    evidence.add(0, aUnit("Rollers press the hose.", { value: 1 }), aSource("a"))
    evidence.add(0, aUnit("A piston needs valves.", { value: 2 }), aSource("b"))
    evidence.add(1, aUnit("Rollers press the hose.", { value: 3 }), aSource("a"))
    evidence.add(0, aUnit("Rollers press the hose.", { value: 4 }), aSource("a"))
    const answersTo = (question: typeof WORK) =>
      evidence.answersTo(question).map(({ finding, value }) => [finding.text, value])
    expect(answersTo(WORK)).toEqual([
      ["Rollers press the hose.", 4],
      ["A piston needs valves.", 2],
    ])
    expect(answersTo(COST)).toEqual([["Rollers press the hose.", 3]])
    expect(answersTo({ text: "Who makes it", label: "" })).toEqual([])
  })

  test.each([
    [
      "other numbers",
      "The rotary pump moves 40 litres of water an hour. It is red.",
      "A rotary pump moves 90 litres of water each hour. Nobody knows why it does.",
    ],
    ["a negation", "The rotary pump needs oil in winter.", "The rotary pump does not need oil in winter."],
  ])("keeps and marks two units that contradict each other by %s", (_, one, other) => {
    const evidence = gathered()
    evidence.add(0, aUnit(one), aSource("a"))
    evidence.add(0, aUnit(other), aSource("b"))
    expect(evidence.findings).toMatchObject([
      { text: one, disagrees: 1 },
      { text: other, disagrees: 0 },
    ])
  })

  test("sees no contradiction within one page, or between answers to different questions", () => {
    const evidence = gathered()
    evidence.add(0, aUnit("The rotary pump moves 40 litres of water an hour."), aSource("a"))
    evidence.add(0, aUnit("The rotary pump moves 90 litres of water an hour."), aSource("a"))
    evidence.add(1, aUnit("The rotary pump moves 70 litres of water an hour."), aSource("b"))
    expect(evidence.findings.map(({ disagrees }) => disagrees)).toEqual([null, null, null])
  })

  test("remembers the best pages, none that gives orders to models, and the words that no page has", () => {
    const evidence = new Evidence(null, ["Zeppelins", "pumps"])
    const found = (name: string, score: number, more = {}) => ({ ...aSource(name, more), score })
    evidence.lookedAt([found("a", 0.2), found("b", 0.9)], new Set(["pump"]))
    evidence.lookedAt(
      [found("a", 0.5), found("c", 0.4), found("d", 0.1), found("orders", 1, { addressesModels: true })],
      new Set(["water"]),
    )
    expect(evidence.nearest.map(({ title }) => title)).toEqual(["b", "a", "c"])
    expect(again(evidence).unseen).toEqual(["Zeppelins"])
  })

  test("goes on from its record as if it had never stopped", () => {
    const first = gathered()
    first.add(0, aUnit("The rotary pump moves water through a rubber hose."), aSource("a"))
    first.searches = 3
    const second = again(first)
    second.add(0, aUnit("A rotary pump moves the water through rubber hoses.", { value: 2 }), aSource("b"))
    expect(second.toRecord()).toMatchObject({ searches: 3, findings: [{ sources: [0, 1] }] })
    expect(first.findings[0]).toMatchObject({ sources: [0], values: { 0: 1 } })
  })

  test("starts again if its record is from an older version", () => {
    const old = { ...gathered().toRecord(), format: 1, searches: 7 }
    expect(new Evidence(old as never, ["pumps"]).toRecord()).toMatchObject({ questions: [], searches: 0 })
  })
})
