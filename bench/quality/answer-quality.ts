import type { Embedder, Engine } from "#engine"
import {
  type CitedStatement,
  extractAnswer,
  type ExtractOptions,
} from "#engine/answer-extraction/extract-answer.ts"
import type { AnswerQuestion } from "../questions/question-sets.ts"
import { linesStandIn } from "./judged/ask.ts"

/** How a question was answered. */
export interface Judged {
  readonly question: string
  readonly units: readonly CitedStatement[]
  /** Units with a line that is missing from the cited page. */
  readonly invented: readonly string[]
  /** Processor seconds for the answer, without the search; all threads. */
  readonly cpuSeconds: number
}

/** Asks a question as POST /search does with `include_answer`. */
export async function answerQuestion(
  engine: Engine,
  embedder: Embedder | undefined,
  question: string,
  length: ExtractOptions["length"],
): Promise<Judged> {
  const { hits } = await engine.search({ text: question, limit: 5 })
  const before = process.cpuUsage()
  const units = await extractAnswer(question, hits, { length, ...(embedder && { embedder }) })
  const { user, system } = process.cpuUsage(before)
  const invented = units
    .filter(({ text, source }) => !linesStandIn(text, hits[source]!.markdown))
    .map(({ text }) => text)
  return { question, units, invented, cpuSeconds: (user + system) / 1e6 }
}

/** Whether an answer has one of the wordings of a correct answer. */
export function holdsFact({ units }: Judged, { facts }: AnswerQuestion): boolean {
  const said = units
    .map(({ text }) => text.replace(/\s+/g, " "))
    .join(" ")
    .toLowerCase()
  return facts.some((fact) => said.includes(fact.toLowerCase()))
}
