import { appendFile, writeFile } from "node:fs/promises"
import { HALVES, type Half } from "../../questions/judged/judged-question.ts"
import { type Judgements, lineOf } from "./judgements.ts"
import type { Said } from "./marks.ts"
import { SETS } from "./sets.ts"

/** Options that answers and reports share, for `parseArgs`. */
export const SHARED_OPTIONS = {
  half: { type: "string", multiple: true, default: ["tune"] as string[] },
  vectors: { type: "string", default: "on" },
  "to-judge": { type: "string" },
  check: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
} as const

/** The named values out of `all`; ends the process if a name is unknown. */
export function chosen<T extends string>(what: string, all: readonly T[], named: readonly string[]): T[] {
  const unknown = named.filter((name) => !all.includes(name as T))
  if (unknown.length > 0) {
    console.error(`There is no ${what} ${unknown.join(", ")}; there are ${all.join(", ")}.`)
    process.exit(2)
  }
  return all.filter((one) => named.includes(one))
}

/** The set named first; by default, Debian's manuals. */
export function chosenSet(names: readonly string[]): (typeof SETS)[string] {
  const [name] = chosen(
    "set",
    Object.keys(SETS),
    names.slice(0, 1).concat(names.length === 0 ? "manuals" : []),
  )
  return SETS[name!]!
}

export const chosenHalves = (named: readonly string[]): Half[] => chosen("half", HALVES, named)

/** Collects the unjudged sentences in a file, each on one line, without duplicates. */
export class ToJudge {
  readonly #file: string | undefined
  readonly #judgements: Judgements
  readonly #written = new Set<string>()

  /** @param file the file to overwrite; if undefined, nothing is written */
  static async open(file: string | undefined, judgements: Judgements): Promise<ToJudge> {
    if (file !== undefined) await writeFile(file, "")
    return new ToJudge(file, judgements)
  }

  private constructor(file: string | undefined, judgements: Judgements) {
    this.#file = file
    this.#judgements = judgements
  }

  async add({ question, pieces }: Said): Promise<void> {
    if (this.#file === undefined) return
    const lines = pieces
      .filter(({ text, urls }) => urls.length > 0 && this.#judgements.of(question, text) === null)
      .map(({ text }) => lineOf(question, text))
      .filter((line) => !this.#written.has(line))
    for (const line of lines) this.#written.add(line)
    if (lines.length > 0) await appendFile(this.#file, `${lines.join("\n")}\n`)
  }
}
