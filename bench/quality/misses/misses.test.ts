import { expect, test } from "vitest"

import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { missQuestions } from "../../questions/miss-questions.ts"
import { askAll } from "./ask.ts"
import { openWorld } from "./world.ts"

// The short form of `npm run bench -- misses`: one question of each kind, and an embedder that costs nothing.

test("the two hundred questions each ask about something different", () => {
  expect(missQuestions).toHaveLength(200)
  expect(new Set(missQuestions.map(({ thing }) => thing)).size).toBe(200)
})

test("the right cause is named if nothing is found, and nothing incomplete is called complete", async () => {
  const kinds = Map.groupBy(missQuestions, ({ seed, by, parameters }) =>
    JSON.stringify([seed, by, parameters]),
  )
  const questions = [...kinds.values()].map(([first]) => first!)
  await using world = await openWorld(questions, new HashingEmbedder())
  const outcomes = await askAll(questions, world)
  const wrong = outcomes.filter(({ isRight }) => !isRight)
  expect(outcomes.filter(({ isFalselyComplete }) => isFalselyComplete)).toEqual([])
  const tolerated = Math.floor(0.05 * outcomes.length)
  expect(wrong.slice(tolerated)).toEqual([])
})
