// How well questions are answered, by kind: npm run bench -- answers
// [manuals|later|programs|guides|many|trained|more|own] [--half tune|kept ...] [--length basic|advanced ...] [--kind
// <kind> ...] [--vectors on|off] [--reranker on|off] [--llm <address>] [--to-judge <file>] [--verbose] [--check]
//
// - `manuals` (default) is `questions/judged`, over Debian's manuals: needs Debian or Ubuntu (apt-get download). `own`
// is the set that answers were tuned on: the pages next to the benches and the project's handbook. The half is `tune`
// unless another is named. One half of `guides` and of `many` has been held back; all questions of the other sets have
// been asked, and answers are tuned for them.
// - Each question is asked as a client would ask it, POST /search with `include_answer`. An answer is right if it
// contains the expected fact, or one for each side of a comparison; a question that no page answers is right if it is
// refused.
// - `--to-judge` writes the unjudged sentences: see `judgements/README.md`. `--vectors off` finds pages by words alone;
// `--reranker off` chooses statements without the model that reads them. With `--llm http://127.0.0.1:8080/v1`, answers
// are written by the only language model of an OpenAI-compatible server, as with FOSSICK_LLM_URL.
// - `--check` asks nothing, and compares the expected wordings with the pages.
import { parseArgs } from "node:util"
import { readSettings } from "#base/settings.ts"
import type { Page } from "#engine"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { READING_MS } from "#engine/models/rerankers/unit-reader.ts"
import { chatModelSettings } from "../../api/services/chat-models/settings.ts"
import { CachedEmbedder } from "../corpora/cached-embedder.ts"
import { table } from "../measure.ts"
import type { JudgedQuestion } from "../questions/judged/judged-question.ts"
import { type Answer, withAnswers, withIndex } from "./judged/ask.ts"
import { faultsOf, says } from "./judged/facts.ts"
import { Judgements } from "./judged/judgements.ts"
import { HEAD, type Marks, marksOf, rowOf } from "./judged/marks.ts"
import { chosen, chosenHalves, chosenSet, SHARED_OPTIONS, ToJudge } from "./judged/options.ts"
import { questionsOf } from "./judged/sets.ts"

const LENGTHS = ["basic", "advanced"] as const
/** The time after which an appliance leaves out late parts; this benchmark waits for everything. */
const LATE_SECONDS = READING_MS / 1000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...SHARED_OPTIONS,
    length: { type: "string", multiple: true, default: [...LENGTHS] },
    kind: { type: "string", multiple: true },
    reranker: { type: "string", default: "on" },
    llm: { type: "string" },
  },
})
const set = chosenSet(positionals)
const halves = chosenHalves(values.half)
const lengths = chosen("length", LENGTHS, values.length)
const kinds = chosen("kind", Object.keys(set.questions), values.kind ?? Object.keys(set.questions))
const judgements = Judgements.kept("answers")
/** Nothing times out: a model that runs on a CPU takes a minute. */
const llm = values.llm
  ? readSettings(chatModelSettings, {
      FOSSICK_LLM_URL: values.llm,
      FOSSICK_LLM_MODEL: "model",
      FOSSICK_LLM_TIMEOUT_MS: "600000",
    })
  : null

if (values.check) {
  const pages = new Map<string, Page>()
  for await (const page of set.pages()) pages.set(page.url.replace(set.urlOf(""), ""), page)
  const questions = [set.questions, set.kept?.questions ?? {}].flatMap((kinds) => Object.values(kinds).flat())
  const facts = [
    ...questions.flatMap((one) => one.facts ?? []),
    ...[...set.tasks, ...(set.kept?.tasks ?? [])].flatMap(({ parts }) => parts ?? []),
  ].filter(({ on }) => on.length > 0)
  const faults = faultsOf(facts, pages)
  console.log([...faults, `${facts.length} facts on ${pages.size} pages, ${faults.length} faults`].join("\n"))
  process.exit(faults.length > 0 ? 1 : 0)
}

await using embedder = new CachedEmbedder(
  await TransformersEmbedder.open({ model: shippedModel, threads: 2 }),
)
const toJudge = await ToJudge.open(values["to-judge"], judgements)
const rows: (string | number)[][] = []
let late = 0
await withIndex(set.pages(), { embedder, vectors: values.vectors !== "off" }, (indexed) =>
  withAnswers(
    indexed,
    async (ask) => {
      for (const half of halves) {
        for (const length of lengths) {
          const all = { answered: [] as Marks[], refused: [] as Marks[] }
          for (const kind of kinds) {
            const marks: Marks[] = []
            for (const question of questionsOf(set, kind, half)) {
              const answer = await ask(question.text, length)
              marks.push(marksOf(answer, question.facts ?? [], judgements, set.urlOf))
              all[question.facts ? "answered" : "refused"].push(marks.at(-1)!)
              if (answer.seconds > LATE_SECONDS) late += 1
              await toJudge.add(answer)
              if (values.verbose && !isRight(answer, question)) show(answer, question)
              if (values.verbose) for (const text of answer.invented) console.log(`not verbatim: ${text}`)
            }
            rows.push([half, length, kind, ...rowOf(marks)])
            console.log(rows.at(-1)!.join("  "))
          }
          rows.push([half, length, "all to be answered", ...rowOf(all.answered)])
          rows.push([half, length, "all to be refused", ...rowOf(all.refused)])
        }
      }
    },
    { reranks: values.reranker !== "off", llm },
  ),
)
console.log(`\n${table([["half", "answer", "kind", ...HEAD], ...rows])}`)
if (late > 0) console.log(`${late} answers took longer than ${LATE_SECONDS} s.`)

function isRight({ pieces }: Answer, { facts }: JudgedQuestion): boolean {
  const text = pieces.map((piece) => piece.text).join(" ")
  return facts === null
    ? pieces.every(({ urls }) => urls.length === 0)
    : facts.every((fact) => says(text, fact))
}

function show({ question, pieces }: Answer, { facts }: JudgedQuestion): void {
  console.log(`\n${question}`)
  for (const { on, says: wordings } of facts ?? [{ on: ["no answer"], says: [] }])
    console.log(`  wanted: ${wordings.join(" / ")} (${on.join(", ")})`)
  for (const { text, urls } of pieces) console.log(`  ${text} [${urls.join(" ")}]`)
}
