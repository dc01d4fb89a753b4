// How well research does without a model: node bench/research.ts [mini|pro] [how many questions]
//
// Tasks of `research-questions.ts` over the handbook and the manual pages beside this file. Citation precision is the part
// of a report's sentences that stand word by word in a passage of the page they cite; coverage the part of the expected
// pages that a report cites.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { toRequest } from "../api/research/request.ts"
import { runResearch } from "../api/research/run-research.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { TransformersEmbedder, shippedModel } from "#engine/embedders/transformers-embedder.ts"
import { mean } from "./metrics.ts"
import { judgeReport } from "./report-quality.ts"
import { researchCorpus, urlOfPath } from "./research-corpus.ts"
import { RESEARCH_QUESTIONS } from "./research-questions.ts"

const [model = "mini", count = String(RESEARCH_QUESTIONS.length)] = process.argv.slice(2)
if ((model !== "mini" && model !== "pro") || !/^\d+$/.test(count)) {
  console.error("Usage: node bench/research.ts [mini|pro] [how many questions]")
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
  const coverages: number[] = []
  const seconds: number[] = []
  let [cited, supported] = [0, 0]
  for (const { input, pages: expected } of RESEARCH_QUESTIONS.slice(0, Number(count))) {
    const request = toRequest({
      input,
      model,
      stream: false,
      citation_format: "numbered",
      output_length: "standard",
    })
    const before = process.cpuUsage()
    const { content, sources, searches } = await runResearch(
      request,
      { engine, embedder, chatModel: null, modelTokens: 0 },
      {
        found: null,
        emit: () => {},
        onProgress: () => {},
        signal: new AbortController().signal,
        log: pino({ level: "silent" }),
      },
    )
    const { user, system } = process.cpuUsage(before)
    const quality = await judgeReport(
      { content: content as string, sources },
      engine,
      expected.map(urlOfPath),
    )
    cited += quality.cited
    supported += quality.supported
    coverages.push(quality.coverage)
    seconds.push((user + system) / 1e6)
    console.log(
      `${quality.coverage.toFixed(2)} of ${expected.length} pages, ${quality.cited} sentences, ${searches} searches, ${sources.length} sources: ${input}`,
    )
    for (const text of quality.unsupported) console.log(`    unsupported: ${text.slice(0, 200)}`)
  }
  console.log(
    `citation precision ${(supported / cited).toFixed(4)} of ${cited} sentences, coverage ${mean(coverages).toFixed(3)}, CPU seconds a report ${mean(seconds).toFixed(1)}`,
  )
} finally {
  await rm(dir, { recursive: true, force: true })
}
