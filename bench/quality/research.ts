// How well research does without a language model: node bench/quality/research.ts [mini|pro] [how many questions]
//
// Tasks of `research-questions.ts` over the handbook and the manual pages beside this file. Citation precision is the part
// of a report's sentences that stand word by word in a passage of the page they cite; coverage the part of the expected
// pages that a report cites.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { TransformersEmbedder, shippedModel } from "#engine/embedders/transformers-embedder.ts"
import { mean } from "./metrics.ts"
import { researchCorpus } from "../corpora/research-corpus.ts"
import { RESEARCH_QUESTIONS } from "../questions/research-questions.ts"
import { judgedReport, type JudgedReport } from "./run-research.ts"

const [model = "mini", count = String(RESEARCH_QUESTIONS.length)] = process.argv.slice(2)
if ((model !== "mini" && model !== "pro") || !/^\d+$/.test(count)) {
  console.error("Usage: node bench/quality/research.ts [mini|pro] [how many questions]")
  process.exit(2)
}
const dir = await mkdtemp(join(tmpdir(), "fossick-research-"))
try {
  await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
  await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
  const pages = await researchCorpus()
  await engine.index(pages)
  await engine.settled()
  console.log(`${pages.length} pages, ${(await engine.stats()).passages} passages, model ${model}`)
  const reports: JudgedReport[] = []
  for (const question of RESEARCH_QUESTIONS.slice(0, Number(count))) {
    const report = await judgedReport(question, model, { engine, embedder })
    reports.push(report)
    const { coverage, cited, searches, sources } = report
    console.log(
      `${coverage.toFixed(2)} of ${question.pages.length} pages, ${cited} sentences, ${searches} searches, ${sources} sources: ${question.input}`,
    )
    for (const text of report.unsupported) console.log(`    unsupported: ${text.slice(0, 200)}`)
  }
  const sum = (of: (report: JudgedReport) => number) => reports.reduce((all, report) => all + of(report), 0)
  const cited = sum((report) => report.cited)
  const precision = sum((report) => report.supported) / cited
  console.log(
    `citation precision ${precision.toFixed(4)} of ${cited} sentences, coverage ${mean(reports.map((report) => report.coverage)).toFixed(3)}, CPU seconds a report ${mean(reports.map((report) => report.cpuSeconds)).toFixed(1)}`,
  )
} finally {
  await rm(dir, { recursive: true, force: true })
}
