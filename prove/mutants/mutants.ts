import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Chance, chance } from "#base/testing/chance.ts"
import type { Effort, Outcome, Proof, Row } from "../proof.ts"
import { JUDGED, type Judged } from "./judged.ts"
import { type MutatedRoom, ROOMS } from "./rooms.ts"
import { type Mutant, mutantsOf, ROOT } from "./stryker.ts"

/** The share of noticeable mutants that some test must notice. */
const ENOUGH = 0.9
/** The environment variable that names the rooms to try, separated by commas; all if unset. */
const NAMED = "FOSSICK_MUTANTS"
/** Sample size: this many mutants give the share noticed among all, to within about six percentage points. */
const TELLING = 100
/** Number of lines in one stretch of a sample. */
const STRETCH = 8

export const proof: Proof = {
  title: "Mutation tests",
  promise:
    "The tests notice at least nine in ten changes to the code of each core module. [Stryker](https://stryker-mutator.io) changes one thing at a " +
    "time (a comparison, the sign of a number, a string, a branch) in the modules that the rest depends on, and runs their tests. Changes without " +
    "any visible effect, which no test can notice, were reviewed one by one; `prove/mutants/judged.jsonl` lists them with the reason.",
  run: (effort) => tried(effort, asked()),
  joined,
}

const COLUMNS = [
  "module",
  "lines tested",
  "mutants",
  "killed",
  "timed out",
  "survived",
  "never run",
  "without effect",
  "noticed, of the rest",
]
/** Number of columns with counts, from the third on. */
const COUNTS = 6

/** All rooms, or the named ones. */
function asked(): readonly MutatedRoom[] {
  const names = process.env[NAMED]?.split(",")
  return ROOMS.filter(({ name }) => names === undefined || names.includes(name))
}

/** A tenth of the tries means a tenth of the lines, in random stretches. */
export async function tried(effort: Effort, rooms: readonly MutatedRoom[]): Promise<Outcome> {
  const random = chance(effort.seed)
  const rows: (string | number)[][] = []
  const faults: string[] = []
  for (const room of rooms) {
    const mutate = effort.scale >= 1 ? room.mutate : sample(room, effort.scale, random)
    // Rooms run one after the other, because each needs the whole machine.
    // oxlint-disable-next-line no-await-in-loop
    const mutants = await mutantsOf(mutate, room.tests)
    const { row, share, open } = counted(mutants)
    effort.tell(`${room.name}: ${row.join(", ")}`)
    if (!room.isJudged) for (const one of open) effort.tell(`  ${inWords(one)}`)
    rows.push([room.name, effort.scale >= 1 ? "all" : percent(effort.scale), ...row])
    if (room.isJudged) faults.push(...open.map((one) => `not reviewed: ${inWords(one)}`))
    else if ((effort.scale >= 1 || mutants.length >= TELLING) && share < ENOUGH)
      faults.push(`${room.name}: ${percent(share)} of its mutants are noticed, too few`)
  }
  return { columns: COLUMNS, rows, faults }
}

/** Keeps the rows of rooms that weren't tried this time; the rooms stay in their order, followed by their totals. */
export function joined(before: readonly Row[], now: readonly Row[]): readonly Row[] {
  const rows = ROOMS.map(({ name }) => [...now, ...before].find(([room]) => room === name)).filter(
    (row) => row !== undefined,
  )
  const sums = Array.from({ length: COUNTS }, (_, at) => sum(rows.map((row) => Number(row[at + 2]))))
  return [...rows, ["total", "", ...sums, percent(noticed(sums))]]
}

/** The results of a room's mutants: the cells after its name, and how much of it was tried. */
export function counted(mutants: readonly Mutant[], judged: readonly Judged[] = JUDGED) {
  const of = (status: Mutant["status"]) => mutants.filter((one) => one.status === status)
  const alive = [...of("Survived"), ...of("NoCoverage")]
  const open = alive.filter((one) => !judged.some((other) => isOf(one, other)))
  const counts = [
    mutants.length,
    of("Killed").length,
    of("Timeout").length,
    of("Survived").length,
    of("NoCoverage").length,
    alive.length - open.length,
  ]
  const share = noticed(counts)
  return { row: [...counts, percent(share)], share, open }
}

/** The share of noticeable mutants that were noticed. */
function noticed([, killed, timedOut, survived, neverRun, equal]: readonly number[]): number {
  const seen = killed! + timedOut!
  const all = seen + survived! + neverRun! - equal!
  return all === 0 ? 1 : seen / all
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
const isOf = (mutant: Mutant, { file, line, mutator, replacement }: Judged): boolean =>
  mutant.file === file &&
  mutant.line === line &&
  mutant.mutator === mutator &&
  (replacement === undefined || mutant.replacement === replacement)

const percent = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
const inWords = ({ file, lineNumber, line, mutator, replacement, status }: Mutant): string =>
  `${file}:${lineNumber} ${status} ${mutator} \`${line}\` → \`${replacement.replaceAll(/\s+/g, " ").slice(0, 120)}\``

/** Stretches of the room's files, in Stryker's syntax: `a.ts:9-16`. */
function sample({ mutate }: MutatedRoom, share: number, random: Chance): readonly string[] {
  const wanted = mutate.filter((pattern) => !pattern.startsWith("!"))
  const exclude = mutate.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1))
  const stretches = globSync(wanted, { cwd: ROOT, exclude })
    .sort()
    .flatMap((file) => {
      const lines = readFileSync(join(ROOT, file), "utf8").split("\n").length
      return Array.from(
        { length: Math.ceil(lines / STRETCH) },
        (_, at) => `${file}:${at * STRETCH + 1}-${(at + 1) * STRETCH}`,
      )
    })
  return random.some(stretches, Math.max(1, Math.round(stretches.length * share)))
}
