import { pino } from "pino"
import type { Embedder, Engine } from "#engine"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { toRequest } from "../../api/services/research/request.ts"
import { runResearch } from "../../api/services/research/run-research.ts"
import { PageMemory } from "../../api/services/research/sources/held-pages.ts"
import { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { judgeReport, type ReportQuality } from "./report-quality.ts"
import { urlOfPath } from "../corpora/research-corpus.ts"
import type { ResearchQuestion } from "../questions/question-sets.ts"

export interface JudgedReport extends ReportQuality {
  readonly searches: number
  readonly sources: number
  /** CPU time over all threads. */
  readonly cpuSeconds: number
}

/** A report, and the resources it took. */
interface Made {
  readonly content: string
  readonly sources: readonly { readonly url: string }[]
  readonly searches: number
  /** CPU time over all threads. */
  readonly cpuSeconds: number
}

interface Parts {
  readonly engine: Engine
  readonly embedder: Embedder
  /** `null` if units are chosen by meaning. */
  readonly unitReader: UnitReader | null
}

/** Writes a report without a language model. */
export async function makeReport(input: string, model: "mini" | "pro", parts: Parts): Promise<Made> {
  const request = await toRequest({
    input,
    model,
    stream: false,
    citation_format: "numbered",
    output_length: "standard",
  })
  const before = process.cpuUsage()
  const { content, sources, searches } = await runResearch(
    request,
    { ...parts, chatModel: null, modelTokens: 0, pages: new PageMemory(new ByteBudget(2 ** 26)) },
    {
      found: null,
      emit: () => {},
      onProgress: async () => {},
      signal: new AbortController().signal,
      log: pino({ level: "silent" }),
    },
  )
  const { user, system } = process.cpuUsage(before)
  return { content: content as string, sources, searches, cpuSeconds: (user + system) / 1e6 }
}

/** Writes a report without a language model, and judges it. */
export async function judgedReport(
  { input, pages }: ResearchQuestion,
  model: "mini" | "pro",
  parts: Parts,
): Promise<JudgedReport> {
  const { content, sources, searches, cpuSeconds } = await makeReport(input, model, parts)
  const quality = await judgeReport({ content, sources }, parts.engine, pages.map(urlOfPath))
  return { ...quality, searches, sources: sources.length, cpuSeconds }
}
