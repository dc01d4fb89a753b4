// How well research does without a language model: npm run bench -- research [manuals|guides|own] [--model mini|pro]
// [--half tune|kept ...] [--vectors on|off] [--reader on|off] [--to-judge <file>] [--verbose]
//
// - `manuals` (default) is `questions/judged`, over Debian's manuals: needs Debian or Ubuntu (apt-get download). `own`
// is `research-questions.ts` over the handbook and the manual pages beside the benches. The half is `tune` unless
// another is named.
// - A part of a task is covered if one of its wordings is in the report; its page is covered if the report cites it. A
// unit is not verbatim if one of its lines does not appear word for word on the page that it cites first.
// - `--to-judge` writes the unjudged units: see `judgements/README.md`.
import { parseArgs } from "node:util"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { CachedEmbedder } from "../corpora/cached-embedder.ts"
import { table } from "../measure.ts"
import { withIndex } from "./judged/ask.ts"
import { Judgements } from "./judged/judgements.ts"
import { HEAD, type Marks, marksOf, rowOf, type Said } from "./judged/marks.ts"
import { chosen, chosenHalves, chosenSet, SHARED_OPTIONS, ToJudge } from "./judged/options.ts"
import { tasksOf } from "./judged/sets.ts"
import { mean } from "./metrics.ts"
import { citedTexts, judgeReport } from "./report-quality.ts"
import { makeReport } from "./run-research.ts"

const MODELS = ["mini", "pro"] as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...SHARED_OPTIONS,
    model: { type: "string", default: "mini" },
    reader: { type: "string", default: "on" },
  },
})
const set = chosenSet(positionals)
const halves = chosenHalves(values.half)
const [model] = chosen("model", MODELS, [values.model])
const judgements = Judgements.kept("reports")
/** This limit is generous, so that a busy machine produces the same report as an idle one. */
const PATIENCE_MS = 60_000

await using embedder = new CachedEmbedder(
  await TransformersEmbedder.open({ model: shippedModel, threads: 2 }),
)
await using unitReader = values.reader === "off" ? null : await openUnitReader({ timeoutMs: PATIENCE_MS })
const toJudge = await ToJudge.open(values["to-judge"], judgements)
const rows: (string | number)[][] = []
const costs: number[] = []
await withIndex(set.taskPages(), { embedder, vectors: values.vectors !== "off" }, async (indexed) => {
  for (const half of halves) {
    const all = { answered: [] as Marks[], refused: [] as Marks[] }
    for (const { input, parts } of tasksOf(set, half)) {
      const { content, sources, searches, cpuSeconds } = await makeReport(input, model!, {
        ...indexed,
        unitReader,
      })
      costs.push(cpuSeconds)
      const { unsupported } = await judgeReport({ content, sources }, indexed.engine, [])
      const said: Said = {
        question: input,
        pieces: citedTexts(content).map(({ text, numbers }) => ({
          text,
          urls: numbers.flatMap((number) => sources[number - 1]?.url ?? []),
        })),
        invented: unsupported,
      }
      const marks = marksOf(said, parts ?? [], judgements, set.urlOf)
      all[parts ? "answered" : "refused"].push(marks)
      await toJudge.add(said)
      console.log(
        `${half}: ${marks.held} of ${marks.wanted} parts, ${marks.pagesCited} of ${marks.pagesWanted} pages, ${marks.sentences} sentences, ${searches} searches: ${input}`,
      )
      for (const text of said.invented) console.log(`    not verbatim: ${text.slice(0, 200)}`)
      if (values.verbose) console.log(`\n${content}\n`)
    }
    for (const [name, marks] of Object.entries(all))
      if (marks.length > 0) rows.push([half, `to be ${name}`, ...rowOf(marks)])
  }
})
console.log(`\n${table([["half", model!, ...HEAD], ...rows])}`)
console.log(`CPU seconds a report: ${mean(costs).toFixed(1)}`)
