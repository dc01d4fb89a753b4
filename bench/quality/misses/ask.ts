import type { MissQuestion } from "../../questions/miss-questions.ts"
import { COMPLETE, pathOf, type World } from "./world.ts"

/** The result of one question. */
export interface Outcome {
  readonly question: MissQuestion
  /** The cause that was named; `null` if there was none because the page was found. */
  readonly cause: string | null
  readonly isRight: boolean
  /** Whether the search was reported as complete although one of the searched sources is not. */
  readonly isFalselyComplete: boolean
  readonly text: string
}

/** Asks all questions, one after another. */
export async function askAll(questions: readonly MissQuestion[], world: World): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const question of questions) {
    outcomes.push(await (question.by === "address" ? askAddress : askQuestion)(question, world))
  }
  return outcomes
}

const keyFor = ({ seed }: MissQuestion, { wide, narrow }: World): string =>
  seed === "out-of-reach" ? narrow : wide

async function askAddress(question: MissQuestion, world: World): Promise<Outcome> {
  const on = question.seed === "other-host" ? world.elsewhere : world.site
  const url = encodeURIComponent(on.url(pathOf(question)))
  const { status, body } = await world.app.call(`/pages?url=${url}`, keyFor(question, world))
  const miss = status === 404 ? body.detail.miss : undefined
  return judged(question, miss, false)
}

async function askQuestion(question: MissQuestion, world: World): Promise<Outcome> {
  const { site, minus, phrase, ...given } = question.parameters ?? {}
  const host = world.elsewhere.authority
  const parameters = JSON.parse(JSON.stringify(given).replaceAll("{host}", host)) as object
  const [first = "", second = ""] = question.thing.split(" ")
  const query =
    site !== undefined
      ? `${question.question} site:${host}`
      : minus === true
        ? `${question.question} -handbook`
        : phrase === true
          ? `"${second} of the ${first}" ${question.question}`
          : question.question
  const body = { query, ...parameters, ...(phrase === true && { exact_match: true }) }
  const answer = await world.app.call("/search", keyFor(question, world), body)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  const { miss, coverage } = answer.body
  const listed: readonly { readonly name: string }[] = coverage?.sources ?? []
  const asked = (given["sources"] as string[] | undefined) ?? listed.map(({ name }) => name)
  return judged(question, miss, coverage?.complete === true && !asked.every((name) => COMPLETE.has(name)))
}

function judged(
  question: MissQuestion,
  miss: { readonly cause: string; readonly text: string } | undefined,
  isFalselyComplete: boolean,
): Outcome {
  const cause = miss?.cause ?? null
  const isRight = cause === null ? question.causes.length === 0 : question.causes.includes(cause)
  return { question, cause, isRight, isFalselyComplete, text: miss?.text ?? "" }
}

/** Number of questions for which the cause was right, by seed. */
export function bySeed(outcomes: readonly Outcome[]): Map<string, { right: number; of: number }> {
  const counts = new Map<string, { right: number; of: number }>()
  for (const { question, isRight } of outcomes) {
    const key = `${question.seed}, by ${question.by}`
    const { right, of } = counts.get(key) ?? { right: 0, of: 0 }
    counts.set(key, { right: right + Number(isRight), of: of + 1 })
  }
  return counts
}
