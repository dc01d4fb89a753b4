// Measures whether the right cause is named if nothing is found: npm run bench -- misses
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"

import { missQuestions } from "../../questions/miss-questions.ts"
import { askAll, bySeed } from "./ask.ts"
import { openWorld } from "./world.ts"

await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
await using world = await openWorld(missQuestions, embedder)
const outcomes = await askAll(missQuestions, world)
for (const { question, cause, text, isRight } of outcomes) {
  if (!isRight)
    console.log(
      `wrong  ${question.seed}: ${question.question} ${JSON.stringify(question.parameters ?? {})}: ${cause ?? "found"} ${text}`,
    )
}
for (const [seed, { right, of }] of bySeed(outcomes)) console.log(`${seed.padEnd(28)} ${right} of ${of}`)
const right = outcomes.filter(({ isRight }) => isRight).length
const falsely = outcomes.filter(({ isFalselyComplete }) => isFalselyComplete).length
console.log(
  `\nright cause: ${right} of ${outcomes.length} (${((100 * right) / outcomes.length).toFixed(1)} %)`,
)
console.log(`called complete and not so: ${falsely}`)
