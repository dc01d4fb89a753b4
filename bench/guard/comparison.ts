import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { median, short } from "../measure.ts"
import { scratchFolder } from "./checkout.ts"
import { Ground, type Line, type Measure } from "./ground.ts"
import { MEASURES } from "./lines.ts"
import type { Figures, Side } from "./run.ts"
import { MOST, ratioOf, type Ratio, type Verdict, verdictOf } from "./statistic.ts"

/** A row of the table. */
export interface Result {
  readonly line: Line
  /** Median of all turns; null if the other checkout can't run the line. */
  readonly before: number | null
  readonly now: number
  readonly ratio: Ratio | null
  readonly allowed: number
  readonly verdict: Verdict | "new"
}

/** The figures of two neighbouring turns; `before` is null if the other checkout can't run the measure. */
interface Pair {
  readonly before: Figures | null
  readonly now: Figures
}

interface CompareOptions {
  /** Whether both checkouts take each turn at the same time, so that other programs slow both down equally. */
  readonly together: boolean
  /** Time after which no further pass begins, in minutes. */
  readonly minutes: number
  /** The highest ratio at which a line passes. */
  readonly allowed: (line: string) => number
}

/** Measures both checkouts, or only this one if the other can't run the measure. */
class Comparison {
  readonly #measure: Measure
  readonly #sides: readonly [before: Side, now: Side]
  readonly #ground: Ground
  readonly #options: CompareOptions
  readonly #starts: Pair[][] = []
  /** Whether the other checkout can run the measure; null before its first turn. */
  #canOtherRun: boolean | null = null

  constructor(
    measure: Measure,
    sides: readonly [before: Side, now: Side],
    ground: Ground,
    options: CompareOptions,
  ) {
    this.#measure = measure
    this.#sides = sides
    this.#ground = ground
    this.#options = options
  }

  /** Starts both checkouts as often as the measure specifies. @returns the results of all passes so far */
  async pass(): Promise<Result[]> {
    if (this.#measure.startsCold && this.#starts.length === 0) await this.#start()
    for (let start = 0; start < this.#measure.starts; start++) this.#starts.push(await this.#start())
    return this.#measure.lines.map((line) => this.#resultOf(line))
  }

  #resultOf(line: Line): Result {
    const pairs = this.#starts.flat()
    const now = median(pairs.map((pair) => pair.now[line.name]!))
    const allowed = this.#options.allowed(line.name)
    if (this.#canOtherRun === false) return { line, before: null, now, ratio: null, allowed, verdict: "new" }
    const before = median(pairs.map((pair) => pair.before![line.name]!))
    const ratio = ratioOf(
      this.#starts.map((start) => start.map((pair) => pair.now[line.name]! / pair.before![line.name]!)),
    )
    return { line, before, now, ratio, allowed, verdict: verdictOf(ratio, allowed) }
  }

  /** One start of both checkouts. They take turns at going first, since the second may find warm caches. */
  async #start(): Promise<Pair[]> {
    const measure = this.#measure
    const [before, now] = this.#sides
    await using started = new AsyncDisposableStack()
    const other = await this.#mayLack(async () => started.use(await measure.open(before, this.#ground)))
    const own = started.use(await measure.open(now, this.#ground))
    const theirs = () => (other ? this.#mayLack(() => other.turn()) : null)
    const pairs: Pair[] = []
    for (let turn = 0; turn < measure.turns; turn++) {
      const isOwnEarly = this.#options.together || (this.#starts.length + turn) % 2 === 1
      const early = isOwnEarly ? own.turn() : null
      if (!this.#options.together) await early
      const before = await theirs()
      if (before) this.#canOtherRun = true
      pairs.push({ before, now: await (early ?? own.turn()) })
    }
    return pairs
  }

  /** An error before the first finished turn means that the other checkout lacks something. */
  async #mayLack<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#canOtherRun === false) return null
    try {
      return await work()
    } catch (error) {
      if (this.#canOtherRun) throw error
      this.#canOtherRun = false
      process.stderr.write(`${this.#sides[0].root} can't run this: ${(error as Error).message}\n`)
      return null
    }
  }
}

/** Measures the lines of two checkouts: one pass of each line, then more passes for undecided lines. */
export async function compare(
  roots: { readonly before: string; readonly now: string },
  lines: readonly string[],
  options: CompareOptions,
): Promise<Result[]> {
  const end = performance.now() + options.minutes * 60_000
  const scratch = scratchFolder("guard")
  const side = (name: "before" | "now"): Side => ({ root: roots[name], scratch: join(scratch, name) })
  const sides = [side("before"), side("now")] as const
  for (const one of sides) mkdirSync(one.scratch)
  await using ground = new Ground(scratch)
  const isWanted = ({ line }: Result) => lines.includes(line.name)
  const found = new Map<Comparison, readonly Result[]>()
  let open = MEASURES.filter((one) => one.lines.some(({ name }) => lines.includes(name))).map(
    (one) => new Comparison(one, sides, ground, options),
  )
  for (let pass = 1; open.length > 0; pass++) {
    for (const comparison of open) {
      if (pass > 1 && performance.now() > end) return [...found.values()].flat()
      const results = (await comparison.pass()).filter(isWanted)
      found.set(comparison, results)
      for (const result of results) process.stderr.write(`pass ${pass}: ${rowOf(result).join(", ")}\n`)
    }
    open = open.filter((one) => found.get(one)!.some(({ verdict }) => verdict === "undecided"))
  }
  return [...found.values()].flat()
}

/** Header of the results table. */
export const HEAD = ["line", "what", "before", "now", "ratio", "95 % interval", "verdict"]

export function rowOf({ line, before, now, ratio, allowed, verdict }: Result): string[] {
  const { middle, low, high } = ratio ?? {}
  const two = (value: number | undefined) => value?.toFixed(2) ?? ""
  const interval = ratio && `${two(low)} to ${two(high)}`
  const limit = allowed === MOST ? "" : `; the ledger allows ${two(allowed)}`
  const words = {
    passes: `passes${limit}`,
    slower: `SLOWER${limit}`,
    undecided: `too noisy to judge${limit}`,
    new: "new: the other checkout can't run this",
  }
  return [
    line.name,
    line.of,
    before === null ? "" : short(before),
    short(now),
    two(middle),
    interval ?? "",
    words[verdict],
  ]
}
