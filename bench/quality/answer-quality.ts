import type { Embedder, Engine, Hit } from "#engine"
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
  readonly statements: readonly CitedStatement[]
  /** Statements that do not stand in the page they cite. */
  readonly invented: readonly string[]
  /** Processor seconds of the answer, the search not counted; all threads. */
  readonly cpuSeconds: number
}

/** Asks as POST /search does with `include_answer`. */
export async function answerQuestion(
  engine: Engine,
  embedder: Embedder | undefined,
  question: string,
  length: ExtractOptions["length"],
): Promise<Judged> {
  const { hits } = await engine.search({ text: question, limit: 5 })
  const before = process.cpuUsage()
  const statements = await extractAnswer(question, hits, { length, ...(embedder && { embedder }) })
  const { user, system } = process.cpuUsage(before)
  const invented = statements.filter((one) => !standsIn(one, hits[one.source]!)).map(({ text }) => text)
  return { question, statements, invented, cpuSeconds: (user + system) / 1e6 }
}

/** Whether an answer has one of the wordings that a right one has. */
export function holdsFact({ statements }: Judged, { facts }: AnswerQuestion): boolean {
  const said = statements
    .map(({ text }) => text.replace(/\s+/g, " "))
    .join(" ")
    .toLowerCase()
  return facts.some((fact) => said.includes(fact.toLowerCase()))
}

/** Compared with another reading of the page's markdown than the one that the statement was made from. */
const standsIn = ({ text }: CitedStatement, { markdown }: Pick<Hit, "markdown">): boolean =>
  linesStandIn(text, markdown)
