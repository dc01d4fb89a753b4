import { expect, test } from "vitest"

import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { planOf } from "../plan/parts.ts"
import { Evidence } from "../sources/evidence.ts"
import { Nearness } from "../sources/nearness.ts"
import { aSource, aStated } from "../testing/findings.ts"
import { choose } from "./choose-findings.ts"

const { signal } = new AbortController()

/** What is chosen of pages' sentences, part by part; each page with its score in the search for the whole task. */
async function chosenOf(
  input: string,
  pages: readonly { page: string; score?: number; headings?: string[]; says: readonly string[] }[],
) {
  const plan = planOf(input)
  const evidence = new Evidence()
  evidence.questions.push(plan.whole, ...plan.parts)
  for (const { page, score = 1, headings = [], says } of pages) {
    evidence.met(0, aSource(page).url, score)
    for (const [position, text] of says.entries())
      evidence.add(
        0,
        text,
        aSource(page),
        aStated({ headings: [page, ...headings], position, opens: position === 0, score }),
      )
  }
  const nearness = new Nearness(new HashingEmbedder())
  const answered = await choose(plan, evidence, { length: "standard", nearness, signal })
  return answered.map(({ chosen }) => chosen.map(({ finding }) => finding.text))
}

test("what is near to a clause and far from the task is not said", async () => {
  const [, cost] = await chosenOf("How does a rotary pump work, and what does it cost?", [
    { page: "rotary pump", says: ["A rotary pump works with rollers.", "A rotary pump costs 120 euros."] },
    { page: "hotels", score: 0.1, says: ["What a room does cost depends on the season."] },
  ])
  expect(cost).toEqual(["A rotary pump costs 120 euros."])
})

test("what is said of a side names it", async () => {
  const [tea, coffee] = await chosenOf("Compare tea and coffee", [
    {
      page: "drinks",
      headings: ["Tea"],
      says: ["Tea is a leaf that is dried.", "The leaf is brewed in hot water."],
    },
    { page: "drinks", headings: ["Coffee"], says: ["Coffee is a bean that is roasted."] },
    { page: "drinks", headings: ["Others"], says: ["Drinks are hot or cold."] },
  ])
  expect(tea).toContain("Tea is a leaf that is dried.")
  expect(coffee).toEqual(["Coffee is a bean that is roasted."])
  expect([...tea!, ...coffee!]).not.toContain("Drinks are hot or cold.")
})

test("nothing is said when nothing answers", async () => {
  const parts = await chosenOf("How do zeppelins land, and who built the first zeppelin?", [
    { page: "rotary pump", says: ["A rotary pump works with rollers.", "Rollers are greased once a month."] },
  ])
  expect(parts).toEqual([[], []])
})
