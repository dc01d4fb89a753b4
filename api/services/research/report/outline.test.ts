import { expect, test } from "vitest"

import { type Part, planOf } from "../plan/parts.ts"
import { Evidence } from "../sources/evidence.ts"
import { aSource, aStated } from "../testing/findings.ts"
import type { Answered } from "./choose-findings.ts"
import { citationsOf } from "./citations.ts"
import { outline } from "./outline.ts"
import { refusal, rendered } from "./report.ts"

const SOURCE = aSource("Rotary pumps", {
  url: "https://pumps.example/rotary",
  published: Date.UTC(2024, 2, 9),
})
const stated = (position: number, needs: string | null = null) =>
  aStated({ headings: ["Rotary pumps"], position, needs })

/** A report of these texts, part by part, the first of each the best. */
function reportOf(input: string, texts: readonly (readonly (string | [string, string])[])[]) {
  const evidence = new Evidence()
  const parts: readonly Part[] = planOf(input).parts
  const answered = parts.map((part, p): Answered => {
    const place = evidence.questions.push(part) - 1
    return {
      part,
      chosen: (texts[p] ?? []).map((one, at) => {
        const [needs, text] = typeof one === "string" ? [null, one] : one
        const finding = {
          text,
          sources: [evidence.source(SOURCE)],
          question: place,
          disagrees: null,
          stated: stated(10 * p + at, needs),
        }
        evidence.findings.push(finding)
        return { finding, value: 1 - at / 10, said: 1, names: true, defines: false, terms: new Set<string>() }
      }),
    }
  })
  const { sections, missing } = outline(answered, evidence, "standard")
  const notes = { missing, unread: 0, refusal: () => refusal(evidence, []) }
  return [...rendered(input, sections, citationsOf(evidence.sources, "numbered"), notes)].join("")
}

test("a report has a summary, a section for each part with more to say, what is missing, and dated sources", () => {
  const input = "How does a rotary pump work, what does it cost, and who makes it?"
  const texts = [
    [
      "Rollers press a hose.",
      "They turn slowly.",
      ["The hose is soft.", "It wears out."] as [string, string],
    ],
    ["It costs 120 euros."],
  ]
  expect(reportOf(input, texts)).toBe(`# ${input}

## Summary

Rollers press a hose. [1] It costs 120 euros. [1]

## How does a rotary pump work

They turn slowly. [1] The hose is soft. [1] It wears out. [1]

## What is missing

No page that was found answers:

- Who makes it

## Sources

1. [Rotary pumps](https://pumps.example/rotary), published 9 Mar 2024
`)
})

test("a sentence that the best ones of two parts need is said once", () => {
  const report = reportOf("How does a rotary pump work, and what does it cost?", [
    [["Rollers press a hose.", "They turn slowly."]],
    [["Rollers press a hose.", "It costs 120 euros."]],
  ])
  expect(report.match(/Rollers press a hose\./g)).toHaveLength(1)
})

test("a sentence is said once, and what leans on it stands right behind it or not at all", () => {
  const text = reportOf("How does a rotary pump work, and what does it cost?", [
    ["Rollers press a hose."],
    ["A pump costs 120 euros.", ["Rollers press a hose.", "They are dear."]],
  ])
  expect(text.match(/Rollers press a hose/g)).toHaveLength(1)
  expect(text).not.toContain("They are dear.")
})

test("the sides of a comparison stand beside each other, a row for each, or for each thing asked of them", () => {
  const one = reportOf("Compare tea and coffee", [["Tea is a leaf.", "It is dried."], ["Coffee is a bean."]])
  expect(one).toContain(`## Comparison

|  | In short |
| --- | --- |
| Tea | Tea is a leaf. [1] |
| Coffee | Coffee is a bean. [1] |

## Tea

It is dried. [1]`)
  const two = reportOf("Tea versus coffee: what does each cost, and how are they brewed?", [
    ["Tea costs little."],
    ["Coffee costs more."],
    ["Tea draws."],
    [],
  ])
  expect(two).toContain(`|  | Tea | Coffee |
| --- | --- | --- |
| What does each cost | Tea costs little. [1] | Coffee costs more. [1] |
| How are they brewed | Tea draws. [1] | – |`)
  expect(two).toContain("- How are they brewed: coffee")
})

test("a cell holds no sentence that would break its row", () => {
  const text = reportOf("Compare tea and coffee", [
    ["Tea | leaf", "Tea is a leaf."],
    ["Coffee is brewed so:\nboil water", "Coffee is a bean."],
  ])
  expect(text).toContain("| Tea | Tea is a leaf. [1] |\n| Coffee | Coffee is a bean. [1] |")
})

test("a task that nothing answers gets one paragraph: what was looked for, where, and what no page speaks of", () => {
  const evidence = new Evidence()
  evidence.questions.push({ text: "How do zeppelins land?", label: "How do zeppelins land" })
  evidence.add(0, "A rotary pump moves water.", SOURCE, stated(0))
  expect(refusal(evidence, ["zeppelins"])).toBe(
    "Nothing on this was found in the index. It was searched for “How do zeppelins land?”. " +
      "The nearest pages, “Rotary pumps” (pumps.example), do not answer it. No page found speaks of “zeppelins”.",
  )
})
