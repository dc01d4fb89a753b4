// What the statement reranker learns from: node bench/quality/judged/statement-lists.ts <set> tune|kept <out.jsonl>
//
// - For each question with exactly one fact, a line `{question, statements: [{value, text, says}]}`: the statements that an answer is chosen
//   from, best first, each with its value, with the text that the model reads of it, and whether it says the fact.
// - Found and valued as for `POST /search` with `include_answer`, but for the reranker, the refusal, and what comes late.
// - The sets are those of `../answers.ts`: they need Debian or Ubuntu (apt-get download), and vectors are kept between runs.
import { open } from "node:fs/promises"
import { readSettings } from "#base/settings.ts"
import { candidatesOf } from "#engine/answer-extraction/candidates.ts"
import { recencyAsked } from "#engine/answer-extraction/recency.ts"
import { pairTexts } from "#engine/answer-extraction/statement-reranking.ts"
import { promising, valuedByWords, withMeaning } from "#engine/answer-extraction/values.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { withMeantWords } from "#engine/text/spelling/meant-words.ts"
import { parseQueryText } from "#engine/text/query-text.ts"
import { apiSettings } from "../../../api/settings.ts"
import { CachedEmbedder } from "../../corpora/cached-embedder.ts"
import type { Fact } from "../../questions/judged/judged-question.ts"
import { type Indexed, withIndex } from "./ask.ts"
import { says } from "./facts.ts"
import { chosenHalves, chosenSet } from "./options.ts"
import { questionsOf } from "./sets.ts"

const [name, halfName, file] = process.argv.slice(2)
if (name === undefined || halfName === undefined || file === undefined) {
  console.error("node bench/quality/judged/statement-lists.ts <set> tune|kept <out.jsonl>")
  process.exit(2)
}
const set = chosenSet([name])
const [half] = chosenHalves([halfName])
const questions = Object.keys({ ...set.questions, ...set.kept?.questions })
  .flatMap((kind) => questionsOf(set, kind, half!))
  .flatMap(({ text, facts }) => (facts?.length === 1 ? [{ text, fact: facts[0]! }] : []))
const { maxResults: limit } = readSettings(apiSettings, {})

await using embedder = new CachedEmbedder(
  await TransformersEmbedder.open({ model: shippedModel, threads: 2 }),
)
await using out = await open(file, "w")
let saying = 0
await withIndex(set.pages(), { embedder, vectors: true }, async (indexed) => {
  for (const one of questions) {
    const list = await listOf(one, indexed)
    if (list.statements.some(({ says: isRight }) => isRight)) saying += 1
    await out.write(`${JSON.stringify(list)}\n`)
  }
})
console.log(`${questions.length} questions, a statement says the fact of ${saying}`)

/** As `extractSides` does it for a question that compares nothing. */
async function listOf(
  { text: asked, fact }: { readonly text: string; readonly fact: Fact },
  { engine, embedder }: Indexed,
) {
  const query = parseQueryText(asked)
  const { hits, corrected } = await engine.search({ text: query, limit })
  const question = corrected ? withMeantWords(query.text, corrected) : query.text
  const all = await candidatesOf(question, hits, undefined)
  const recency = recencyAsked(
    question,
    hits,
    all.map(({ statement }) => statement),
  )
  const candidates = promising(valuedByWords(all, { text: question, terms: null }, hits, recency))
  const [valued] = (await withMeaning([{ text: question, candidates }], embedder, undefined))!
  const texts = pairTexts(valued!, all)
  return {
    question,
    statements: valued!.map(({ value, statement }, i) => ({
      value,
      text: texts[i]!,
      says: says([...statement.leads, statement.text].join(" "), fact),
    })),
  }
}
