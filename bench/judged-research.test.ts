import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { planOf } from "../api/services/research/plan/parts.ts"
import { researchCorpus, urlOfPath } from "./corpora/research-corpus.ts"
import { RESEARCH_QUESTIONS } from "./questions/question-sets.ts"
import { judgedReport } from "./quality/run-research.ts"

/** Tasks whose pages are manuals, which do not change when the handbook does. `npm run bench -- research` runs the whole set. */
const TASKS = RESEARCH_QUESTIONS.filter(({ pages }) =>
  pages.every((page) => !page.startsWith("docs/")),
).slice(1, 3)

let dir: string
let embedder: TransformersEmbedder
let engine: EmbeddedEngine
let unitReader: Awaited<ReturnType<typeof openUnitReader>>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-research-"))
  embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
  unitReader = await openUnitReader({ timeoutMs: 60_000 })
  engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
  // These tasks' pages, plus one more on the same subject: embedding all of them would take most of the time.
  const paths = new Set([...TASKS.flatMap(({ pages }) => pages), "sqlite/faq"].map(urlOfPath))
  await engine.index((await researchCorpus()).filter(({ url }) => paths.has(url)))
  await engine.settled()
})

afterAll(async () => {
  await engine?.[Symbol.asyncDispose]()
  await unitReader?.[Symbol.asyncDispose]()
  await embedder?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

describe("reports on real manuals", () => {
  test.each(TASKS)("$input", async (task) => {
    const report = await judgedReport(task, "mini", { engine, embedder, unitReader })
    expect(report.unsupported).toEqual([])
    // Each part of the task is supported by one of its pages.
    const parts = planOf(task.input).length
    expect(report.cited).toBeGreaterThanOrEqual(parts)
    expect(report.coverage * task.pages.length).toBeGreaterThanOrEqual(parts)
  })

  test("are requested by at least twenty tasks, and all of their pages exist", async () => {
    const known = new Set((await researchCorpus()).map(({ url }) => url as string))
    expect(RESEARCH_QUESTIONS.length).toBeGreaterThanOrEqual(20)
    const wanted = RESEARCH_QUESTIONS.flatMap(({ pages }) => pages.map(urlOfPath))
    expect(wanted.filter((url) => !known.has(url))).toEqual([])
  })
})
