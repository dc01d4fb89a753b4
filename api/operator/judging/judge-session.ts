import { readFileSync } from "node:fs"

import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { withState } from "#crawler/commands/with-state.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Engine, SearchDepth } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"

import { RuleStore } from "../rules/rule-store.ts"
import { readRulesFile } from "../rules/rules-session.ts"
import { judge, type Marks } from "./judge.ts"
import { JudgedFileError, judgedText, parseJudged } from "./judged-file.ts"
import { type JudgedQuestion, MOST_QUESTIONS } from "./judged-schema.ts"
import { JudgedStore, type KeptQuestion, TooManyQuestions } from "./judged-store.ts"
import { factsNow, runJudged } from "./run-judged.ts"
import { RunStore } from "./run-store.ts"

export interface JudgeArguments {
  /** File with the questions; null for the questions stored next to the index. */
  readonly file: string | null
  readonly depth: SearchDepth
  /** Rules files to use instead of the appliance's rules. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** The output of an earlier `--json`, or {@link LATEST}: the marks to compare with. */
  readonly against?: string | undefined
  /** nDCG@10, 0..1. */
  readonly failBelow?: number | undefined
  /** How much lower nDCG@10 may be than in the earlier marks. */
  readonly failDrop?: number | undefined
  /** Whether to store the file's questions next to the index. */
  readonly imports: boolean
  /** Note to store with the marks as a run; null if they are not stored. */
  readonly save: string | null
  readonly json: boolean
}

/** Used in place of a file name to mean the newest stored run. */
const LATEST = "latest"

/**
 * `fossick judge`: runs judged questions against the index in the data folder.
 * @returns the exit code: `failed` if nDCG@10 is below the given bound
 * @throws CommandError when a file is invalid, or if there are no questions to ask
 */
export async function runJudge(given: JudgeArguments): Promise<number> {
  return await withState((db) => judgeWith(db, given))
}

async function judgeWith(db: StateStore, given: JudgeArguments): Promise<number> {
  const { depth, failBelow, failDrop } = given
  const [store, runs, ruleStore] = [new JudgedStore(db), new RunStore(db), new RuleStore(db)]
  const written = given.file === null ? null : readJudged(given.file)
  const own = await ruleStore.list()
  const rules = {
    before: given.before === undefined ? own : readRulesFile(given.before),
    after: given.after === undefined ? own : readRulesFile(given.after),
  }
  const earlier = given.against === undefined ? null : await earlierMarks(given.against, runs)
  if (written !== null && given.imports) await keep(store, written)
  const kept = given.save === null && written !== null ? null : await store.all()
  const asked = written ?? kept ?? []
  if (asked.length === 0) {
    throw new CommandError("There are no judged questions yet. Name a file, or add questions in the console.")
  }
  const asksBefore = earlier === null && (given.before !== undefined || given.after !== undefined)
  const settings = readSettings(engineSettings, environment())
  await using engine = await openEngine(settings, { mode: "read" })
  const before = asksBefore ? await judge(engine, asked, { depth, rules: rules.before }) : earlier
  const after =
    given.save === null || kept === null
      ? await judge(engine, asked, { depth, rules: rules.after })
      : await judgeAndSave(kept, given.save, { engine, runs, ruleStore, settings, depth })
  if (given.json) print(JSON.stringify({ ...after, ...(before && { before }) }, null, 2))
  else for (const line of linesOf(after, before)) print(line)
  for (const marks of [before, after]) if (marks?.degraded) process.stderr.write(`${marks.degraded}\n`)
  if (failBelow !== undefined && after.ndcg < failBelow) {
    process.stderr.write(`nDCG@10 is ${after.ndcg.toFixed(3)}, below ${failBelow}.\n`)
    return EXIT.failed
  }
  if (failDrop !== undefined && before !== null && before.ndcg - after.ndcg > failDrop) {
    const fell = `${before.ndcg.toFixed(3)} to ${after.ndcg.toFixed(3)}`
    process.stderr.write(`nDCG@10 fell from ${fell}, by more than ${failDrop}.\n`)
    return EXIT.failed
  }
  return EXIT.ok
}

/** `fossick judge --export`: writes the stored questions as a file. */
export async function exportJudged(): Promise<number> {
  return await withState(async (db) => {
    process.stdout.write(judgedText(await new JudgedStore(db).all()))
    return EXIT.ok
  })
}

async function judgeAndSave(
  questions: readonly KeptQuestion[],
  note: string,
  {
    engine,
    runs,
    ruleStore,
    settings,
    depth,
  }: {
    readonly engine: Engine
    readonly runs: RunStore
    readonly ruleStore: RuleStore
    readonly settings: { readonly dataDir: string }
    readonly depth: SearchDepth
  },
): Promise<Marks> {
  const { dataDir } = settings
  const ruled = await ruleStore.now()
  const facts = await factsNow({ engine, rules: ruled, dataDir }, { depth, note })
  const id = await runs.begin({ ...facts, questions: questions.length })
  if (id === null) throw new CommandError("Another run is in progress, and only one can be saved at a time.")
  const marks = await runJudged(id, questions, { engine, runs, rules: ruled.rules, depth })
  if (marks === null) throw new CommandError("The run was deleted before it ended.")
  return marks
}

async function keep(store: JudgedStore, questions: readonly JudgedQuestion[]): Promise<void> {
  try {
    await store.put(questions)
  } catch (error) {
    if (error instanceof TooManyQuestions) throw new CommandError(error.message)
    throw error
  }
}

/** The marks from a file, or from the newest finished run that is stored. @throws CommandError */
async function earlierMarks(against: string, runs: RunStore): Promise<Marks> {
  if (against !== LATEST) return readMarks(against)
  const run = await runs.before()
  if (run?.sums == null)
    throw new CommandError("There are no saved runs yet. Save one with fossick judge --save.")
  const { questions } = await runs.compared(run.id, null, { limit: MOST_QUESTIONS, offset: 0 })
  return { ...run.sums, questions: questions.map(({ question, ndcg, rank }) => ({ question, ndcg, rank })) }
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
    // The error is reported below.
  }
  throw new CommandError(`${file} has no marks. Write them with fossick judge --json.`)
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
