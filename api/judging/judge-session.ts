import { readFileSync } from "node:fs"

import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { withState } from "#crawler/commands/with-state.ts"
import type { SearchDepth } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"

import { RuleStore } from "../rules/rule-store.ts"
import { readRulesFile } from "../rules/rules-session.ts"
import { judge, type Marks } from "./judge.ts"
import { JudgedFileError, type JudgedQuestion, parseJudged } from "./judged-file.ts"

export interface JudgeArguments {
  readonly file: string
  readonly depth: SearchDepth
  /** Files of rules that take the place of the appliance's. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** What an earlier `--json` wrote: the marks before. */
  readonly against?: string | undefined
  /** nDCG@10, 0..1. */
  readonly failBelow?: number | undefined
  readonly json: boolean
}

/**
 * `fossick judge`: judged questions, asked of the index in the data folder.
 * @returns the exit code: `failed` when nDCG@10 is below what was asked for
 * @throws CommandError when a file is wrong
 */
export async function runJudge(given: JudgeArguments): Promise<number> {
  const judged = readJudged(given.file)
  const own = withState((db) => new RuleStore(db).list())
  const rules = {
    before: given.before === undefined ? own : readRulesFile(given.before),
    after: given.after === undefined ? own : readRulesFile(given.after),
  }
  const earlier = given.against === undefined ? null : readMarks(given.against)
  const asksBefore = earlier === null && (given.before !== undefined || given.after !== undefined)
  await using engine = await openEngine(readSettings(engineSettings, environment()), { mode: "read" })
  const { depth } = given
  const before = asksBefore ? await judge(engine, judged, { depth, rules: rules.before }) : earlier
  const after = await judge(engine, judged, { depth, rules: rules.after })
  const isBelow = given.failBelow !== undefined && after.ndcg < given.failBelow
  if (given.json) print(JSON.stringify({ ...after, ...(before && { before }) }, null, 2))
  else for (const line of linesOf(after, before)) print(line)
  if (isBelow) {
    process.stderr.write(`nDCG@10 is ${after.ndcg.toFixed(3)}, below ${given.failBelow}.\n`)
    return EXIT.failed
  }
  return EXIT.ok
}

function readJudged(file: string): readonly JudgedQuestion[] {
  try {
    return parseJudged(textOf(file), file)
  } catch (error) {
    if (error instanceof JudgedFileError) throw new CommandError(error.message)
    throw error
  }
}

function readMarks(file: string): Marks {
  const text = textOf(file)
  try {
    const marks = JSON.parse(text) as Marks
    if (typeof marks.ndcg === "number" && Array.isArray(marks.questions)) return marks
  } catch {
    // Told below.
  }
  throw new CommandError(`${file} holds no marks; fossick judge --json writes them.`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as Error).message})`)
  }
}

function linesOf(after: Marks, before: Marks | null): string[] {
  const known = new Map(before?.questions.map((one) => [one.question, one]))
  const place = (rank: number | null | undefined) => (rank === undefined ? "?" : (rank ?? "-"))
  const change = (now: number, then: number | undefined) =>
    then === undefined ? now.toFixed(3) : `${then.toFixed(3)} -> ${now.toFixed(3)}`
  return [
    ...after.questions.map(({ question, rank, ndcg }) => {
      const was = known.get(question)
      const ranks = before === null ? `${place(rank)}` : `${place(was?.rank)} -> ${place(rank)}`
      return `${ranks.padEnd(10)} ${change(ndcg, was?.ndcg).padEnd(16)} ${question}`
    }),
    "",
    `nDCG@10 ${change(after.ndcg, before?.ndcg)}`,
    `hit@1   ${change(after.hit1, before?.hit1)}`,
    `hit@3   ${change(after.hit3, before?.hit3)}`,
  ]
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
