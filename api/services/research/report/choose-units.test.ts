import { expect, test } from "vitest"

import { planOf } from "../plan/parts.ts"
import { Evidence } from "../sources/evidence.ts"
import { aSource, aUnit } from "../testing/findings.ts"
import { choose } from "./choose-units.ts"
import { LENGTHS } from "./report-length.ts"

/** The units chosen, part by part, each with its value. */
function chosenOf(
  input: string,
  units: readonly (readonly (readonly [string, number])[])[],
  length: keyof typeof LENGTHS = "standard",
) {
  const parts = planOf(input)
  const evidence = new Evidence(null, [])
  evidence.questions.push(...parts)
  for (const [place, some] of units.entries())
    for (const [text, value] of some) evidence.add(place, aUnit(text, { value }), aSource(text))
  return choose(parts, evidence, LENGTHS[length]).map(({ units }) => units.map(({ text }) => text))
}

const INPUT = "How does a rotary pump work, and what does it cost?"

test("a part gets the units that answer it, most certain first, and none if nothing answers", () => {
  const units = [
    [
      ["Rollers press the hose.", 1],
      ["Water follows the rollers.", 2],
    ],
    [],
  ] as const
  expect(chosenOf(INPUT, units)).toEqual([["Water follows the rollers.", "Rollers press the hose."], []])
})

test("a second unit must answer nearly as well as the first and say something else", () => {
  const units = [
    [
      ["Rollers press the hose.", 4],
      ["Rollers press the hose of rubber.", 3.9],
      ["Water follows the rollers.", 3.8],
      ["Grease keeps wheels quiet.", 2.8],
      ["A motor turns everything.", 1],
    ],
  ] as const
  expect(chosenOf("How does a rotary pump work?", units)).toEqual([
    ["Rollers press the hose.", "Water follows the rollers.", "Grease keeps wheels quiet."],
  ])
  expect(chosenOf("How does a rotary pump work?", units, "short")).toEqual([
    ["Rollers press the hose.", "Water follows the rollers."],
  ])
  expect(chosenOf("How does a rotary pump work?", units, "long")[0]).toHaveLength(4)
})

test("the report's length limits the number of units, with at least one", () => {
  const long = (word: string) => Array.from({ length: 300 }, (_, i) => `${word}${i}`).join(" ")
  const units = [
    [
      [long("roller"), 2],
      [long("hose"), 2],
      [long("wheel"), 2],
    ],
  ] as const
  expect(chosenOf("How does a rotary pump work?", units)[0]).toHaveLength(2)
  expect(chosenOf("How does a rotary pump work?", units, "short")[0]).toHaveLength(1)
})
