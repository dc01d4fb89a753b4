import { type ChildProcess, fork } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { SearchDepth } from "#engine"
import { BENCH_DIR } from "../../corpora/documentation-site.ts"
import type { BuiltIndex } from "../../corpora/search-index.ts"
import {
  answerTo,
  machine,
  median,
  nextMessage,
  percentile,
  short,
  stopProcess,
  table,
} from "../../measure.ts"
import { TRAINED_QUESTIONS } from "../../questions/many/many-questions.ts"
import { searchQuestions } from "../../questions/search-questions.ts"
import type { Took, Turn } from "./asker.ts"

const OWN = join(import.meta.dirname, "../../..")
const ASKER = join(import.meta.dirname, "asker.ts")
/** The questions of one row of the table. */
interface Kind {
  readonly depth: SearchDepth
  /** Whether the questions take long: reading pages again accounts for most of the cost of such a question, so fewer are asked. */
  readonly isSlow?: true
  /** Whether the questions are about pages that are not in the index, so that their words match nothing useful. */
  readonly isUndecided?: true
}
const KINDS: Readonly<Record<string, Kind>> = {
  "ultra-fast": { depth: "ultra-fast" },
  fast: { depth: "fast" },
  basic: { depth: "basic" },
  advanced: { depth: "advanced", isSlow: true },
  "advanced, words undecided": { depth: "advanced", isSlow: true, isUndecided: true },
}

interface Asker {
  readonly name: string
  readonly process: ChildProcess
  readonly built: BuiltIndex
}

const { values } = parseArgs({
  options: {
    /** Another checkout, with its packages, that takes its turn in each round. */
    before: { type: "string" },
    passages: { type: "string", default: "100000" },
    rounds: { type: "string", default: "15" },
    /** Number of questions per turn. */
    questions: { type: "string", default: "20" },
    /** The folder in which the indexes are kept for the next run. */
    dir: { type: "string", default: join(BENCH_DIR, "latency") },
  },
})
const roots = new Map([...(values.before ? [["before", resolve(values.before)] as const] : []), ["now", OWN]])
process.stdout.write(`${machine()}\n`)
for (const passages of values.passages.split(",")) await compare(passages)

/** Measures one table: each checkout on the index it built, in turn, over several rounds. */
async function compare(passages: string): Promise<void> {
  const askers: Asker[] = []
  try {
    for (const [name, root] of roots) askers.push(await start(name, root, passages))
    const took = new Map<string, Took[]>()
    const rounds = Number(values.rounds)
    const inTurn = Number(values.questions)
    const questions = await searchQuestions(Object.keys(KINDS).length * (rounds + 1) * inTurn)
    const undecided = Object.values(TRAINED_QUESTIONS).flatMap((those) => those.map(({ text }) => text))
    for (let round = 0; round <= rounds; round++) {
      for (const [kind, { depth, isSlow, isUndecided }] of Object.entries(KINDS)) {
        const count = isSlow ? Math.ceil(inTurn / 5) : inTurn
        const texts = (isUndecided ? undecided : questions).splice(0, count)
        // The first checkout to ask finds an idle processor, so the order changes with each round.
        for (const asker of round % 2 ? askers : askers.toReversed()) {
          const turn: Turn = { depth, texts }
          const one = await answerTo<Took>(asker.process, turn)
          const key = `${kind} ${asker.name}`
          // The first round is a warm-up.
          if (round > 0) took.set(key, [...(took.get(key) ?? []), one])
        }
      }
    }
    process.stdout.write(report(askers, took))
  } finally {
    for (const { process: child } of askers) await stopProcess(child)
  }
}

async function start(name: string, root: string, passages: string): Promise<Asker> {
  const dataDir = join(values.dir, name, `search-${passages}`)
  await mkdir(dataDir, { recursive: true })
  const child = fork(ASKER, [root, dataDir, passages], { stdio: ["ignore", "ignore", "inherit", "ipc"] })
  return { name, process: child, built: await nextMessage<BuiltIndex>(child) }
}

function report(askers: readonly Asker[], took: ReadonlyMap<string, readonly Took[]>): string {
  const rows = Object.keys(KINDS).map((kind) => {
    const each = askers.map(({ name }) => took.get(`${kind} ${name}`) ?? [])
    const p50 = each.map((turns) =>
      percentile(
        turns.flatMap((turn) => turn.each),
        0.5,
      ),
    )
    const p99 = each.map((turns) =>
      percentile(
        turns.flatMap((turn) => turn.each),
        0.99,
      ),
    )
    const cpu = each.map((turns) => median(turns.map((turn) => turn.cpuMs / turn.each.length)))
    const ratio = p50.length > 1 ? short(p50.at(-1)! / p50[0]!) : ""
    return [kind, ...p50.map(short), ratio, ...p99.map(short), ...cpu.map(short)]
  })
  const names = askers.map(({ name }) => name)
  const head = [
    "",
    ...names.map((name) => `p50 ms ${name}`),
    "ratio",
    ...names.map((name) => `p99 ms ${name}`),
    ...names.map((name) => `CPU ms ${name}`),
  ]
  const sizes = askers.map(
    ({ name, built }) =>
      `${name}: ${built.pages} pages, ${built.passages} passages, text ${short(built.textSeconds)} s, vectors ${short(built.vectorSeconds)} s`,
  )
  return `\n${sizes.join("; ")}\n\n${table([head, ...rows])}`
}
