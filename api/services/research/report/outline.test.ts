import { expect, test } from "vitest"

import type { AnsweringUnit } from "#engine/answer-extraction/extract-answer.ts"

import { planOf } from "../plan/parts.ts"
import { Evidence } from "../sources/evidence.ts"
import { aSource, aUnit } from "../testing/findings.ts"
import { choose } from "./choose-units.ts"
import { citationsOf } from "./citations.ts"
import { outline } from "./outline.ts"
import { refusal, rendered } from "./report.ts"
import { LENGTHS } from "./report-length.ts"

const SOURCE = aSource("Rotary pumps", {
  url: "https://pumps.example/rotary",
  published: Date.UTC(2024, 2, 9),
})

/** A report made from these units of one page, part by part, with the best unit of each first. */
function reportOf(input: string, texts: readonly (readonly (string | Partial<AnsweringUnit>)[])[]) {
  const evidence = new Evidence(null, [])
  const parts = planOf(input)
  evidence.questions.push(...parts)
  for (const [place, some] of texts.entries())
    for (const [at, one] of some.entries()) {
      const unit = typeof one === "string" ? { text: one } : one
      evidence.add(place, aUnit("", { value: 1 - at / 10, ...unit }), SOURCE)
    }
  const { sections, missing } = outline(choose(parts, evidence, LENGTHS.standard), [], evidence)
  const notes = { missing, unread: 0, refusal: () => refusal(evidence) }
  return [...rendered(input, sections, citationsOf(evidence.sources, "numbered"), notes)].join("")
}

const INPUT = "How does a rotary pump work, and what does it cost?"

test("a report has a section for each part, the missing parts, and dated sources", () => {
  const input = "How does a rotary pump work, what does it cost, and who makes it?"
  const texts = [["Rollers press a hose.", "Water moves slowly."], ["It costs 120 euros."]]
  expect(reportOf(input, texts)).toBe(`# ${input}

## How does a rotary pump work

Rollers press a hose. [1]

Water moves slowly. [1]

## What does it cost

It costs 120 euros. [1]

## What is missing

No page found answers:

- Who makes it

## Sources

1. [Rotary pumps](https://pumps.example/rotary), published 9 Mar 2024
`)
})

test("a task with one question has one answer", () => {
  expect(reportOf("How does a rotary pump work?", [["Rollers press a hose."]])).toContain(
    "# How does a rotary pump work?\n\n## Answer\n\nRollers press a hose. [1]\n\n## Sources",
  )
})

test("code, steps and lists keep their form below their leads, each with its citation", () => {
  const code = { kind: "code", text: "Start the pump:\n```sh\n# start\npump --start\n```" } as const
  const list = { kind: "list", leads: ["A pump has"], text: "- rollers\n- a hose" } as const
  const row = { kind: "row", text: "| part | price |\n|---|---|\n| hose | 15 |" } as const
  expect(reportOf(INPUT, [[code, list], [row]])).toContain(`## How does a rotary pump work

Start the pump:
\`\`\`sh
# start
pump --start
\`\`\`

[1]

A pump has:

- rollers
- a hose [1]

## What does it cost

| part | price |
|---|---|
| hose | 15 |

[1]`)
})

test("a unit that answers two parts appears once, under the names of both", () => {
  const both = "Rollers press a hose, all for 120 euros."
  const report = reportOf(INPUT, [[both], [both]])
  expect(report).toContain(`## How does a rotary pump work / What does it cost\n\n${both} [1]\n\n## Sources`)
  const more = reportOf(INPUT, [[both], [both, "A spare hose is 15 euros more."]])
  expect(more.match(/all for 120/g)).toHaveLength(1)
  expect(more).toContain("## What does it cost\n\nA spare hose is 15 euros more. [1]")
})

test("the sides of a comparison form a table, with a row for each side or each compared thing", () => {
  const one = reportOf("Compare tea and coffee", [
    ["Tea is a leaf.", "Somebody dries the green plant."],
    ["Coffee is a bean."],
  ])
  expect(one).toContain(`## Comparison

|  | In short |
| --- | --- |
| Tea | Tea is a leaf. [1] |
| Coffee | Coffee is a bean. [1] |

## Tea

Somebody dries the green plant. [1]`)
  const two = reportOf("Tea versus coffee: what does each cost, and how are they brewed?", [
    ["Tea costs little."],
    ["Coffee costs more."],
    ["Tea draws."],
    [],
  ])
  expect(two).toContain(`|  | Tea | Coffee |
| --- | --- | --- |
| What does each cost | Tea costs little. [1] | Coffee costs more. [1] |
| How are they brewed | Tea draws. [1] | nothing found |`)
  expect(two).toContain("- How are they brewed: coffee")
})

test("a cell contains no unit that would break its row or that an earlier cell has", () => {
  const list = { kind: "list", leads: ["Coffee"], text: "- boil water\n- wait" } as const
  const text = reportOf("Compare tea, coffee and cocoa", [["Tea is a leaf."], [list], ["Cocoa is a nut."]])
  expect(text).toContain("| Tea | Tea is a leaf. [1] |\n| Coffee | see below |\n| Cocoa | Cocoa")
  // The unit's lead becomes the heading.
  expect(text).toContain("## Coffee\n\n- boil water\n- wait [1]")
  const both = "Tea is a leaf and coffee is a bean."
  const again = reportOf("Compare tea, coffee and cocoa", [[both], [both], ["Cocoa is a nut."]])
  expect(again).toContain(`| Tea | ${both} [1] |\n| Coffee | see above |\n| Cocoa | Cocoa is a nut. [1] |`)
  expect(again.match(/a bean/g)).toHaveLength(1)
})

test("a comparison without two texts that fit into cells has only sections", () => {
  const list = { kind: "list", text: "- boil water\n- wait" } as const
  const text = reportOf("Compare tea and coffee", [["Tea is a leaf."], [list]])
  expect(text).toContain("## Tea\n\nTea is a leaf. [1]\n\n## Coffee\n\n- boil water\n- wait [1]")
  expect(text).not.toContain("|")
})

test("a task without answers gets one paragraph: what was looked for, where, and what no page mentions", () => {
  const evidence = new Evidence(null, ["zeppelins"])
  evidence.questions.push({ text: "How do zeppelins land", label: "How do zeppelins land" })
  evidence.lookedAt([{ ...SOURCE, score: 0.3 }], new Set(["pump"]))
  expect(refusal(evidence)).toBe(
    "Nothing that answers this was found in the index. The index was searched for “How do zeppelins land”. " +
      "The nearest pages, “Rotary pumps” (pumps.example), do not answer it. No page found mentions “zeppelins”.",
  )
})
