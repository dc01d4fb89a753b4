// Measures how well the web is read, using public suites: npm run bench -- reading <folder with their checkouts>
// [--only aeb,htmldate,…] [--half even|odd] [--before <checkout>] [--rounds n] [--list] [--texts <folder>]
//
// - `--only`: only these suites. `--half`: every other case of each suite, so that rules are tuned on one half and
// judged on the other.
// - `--before`: another checkout's code reads each case in turn with this one's, in the same run. Prints its figures
// too, and this checkout's time divided by the other's (the median over the cases; with `--rounds`, each time is the
// shortest of n readings).
// - `--list`: prints every case with the judge's result, the worst first. `--texts`: writes the texts read, one file
// per case and checkout.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { machine, median, table } from "../measure.ts"
import { type Code, codeOf, type Mark, type Row, type Suite, SuiteSkipped } from "./suite.ts"
import { charset } from "./suites/charset.ts"
import { commonmark } from "./suites/commonmark.ts"
import { defuddle } from "./suites/defuddle.ts"
import { feeds } from "./suites/feeds.ts"
import { htmldate } from "./suites/htmldate.ts"
import { aeb, wcxb } from "./suites/judged-words.ts"
import { pdf } from "./suites/pdf.ts"
import { readability } from "./suites/readability.ts"
import { sitemaps } from "./suites/sitemaps.ts"

const SUITES = [aeb, wcxb, readability, defuddle, htmldate, feeds, commonmark, sitemaps, pdf, charset]
const USAGE = `usage: npm run bench -- reading <folder with the suites' checkouts> [--only ${SUITES.map(({ name }) => name).join(",")}]
  [--half even|odd] [--before <checkout>] [--rounds n] [--list] [--texts <folder>]`

/** One checkout's reading of a suite. */
interface Read {
  readonly marks: Mark[]
  /** Milliseconds for each case. */
  readonly times: number[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    half: { type: "string" },
    before: { type: "string" },
    list: { type: "boolean", default: false },
    texts: { type: "string" },
    rounds: { type: "string", default: "1" },
  },
})
const [root] = positionals
const only = values.only?.split(",") ?? SUITES.map(({ name }) => name)
const unknown = only.filter((name) => !SUITES.some((one) => one.name === name))
if (
  root === undefined ||
  !(Number(values.rounds) >= 1) ||
  unknown.length > 0 ||
  ![undefined, "even", "odd"].includes(values.half)
) {
  console.error(unknown.length > 0 ? `No suite is called ${unknown.join(", ")}.\n${USAGE}` : USAGE)
  process.exit(2)
}
const codes: readonly { readonly name: string; readonly code: Code }[] = [
  ...(values.before === undefined ? [] : [{ name: "before", code: codeOf(resolve(values.before)) }]),
  { name: "now", code: codeOf(resolve(import.meta.dirname, "../..")) },
]

const lines: string[][] = [["suite", "of", "cases", "figures", ...(codes.length > 1 ? ["time"] : []), "goal"]]
const notes: string[] = []
for (const suite of SUITES.filter(({ name }) => only.includes(name))) {
  try {
    await measure(suite)
  } catch (error) {
    if (!(error instanceof SuiteSkipped)) throw error
    lines.push([
      suite.name,
      "",
      "",
      `skipped: ${error.message}`,
      ...(codes.length > 1 ? [""] : []),
      suite.goal,
    ])
  }
  console.error(`${suite.name} done`)
}
console.log(`${machine()}\n\n${table(lines)}\n${notes.join("\n")}`)

async function measure(suite: Suite): Promise<void> {
  const folder = suite.folder === null ? "" : join(root!, suite.folder)
  if (!existsSync(folder) && suite.folder !== null)
    throw new SuiteSkipped(`${folder} is missing (see bench/reading/README.md)`)
  const all = await suite.cases(folder)
  const cases =
    values.half === undefined ? all : all.filter((_, i) => i % 2 === (values.half === "even" ? 0 : 1))
  const readers = await Promise.all(codes.map(({ code }) => suite.reader(code)))
  const reads: Read[] = codes.map(() => ({ marks: [], times: [] }))
  for (const [i, entry] of cases.entries()) {
    // The copy reads the content from the disk once, before the clock starts.
    const one = { ...entry }
    // The second reader finds warm caches, so the checkouts take turns at reading first.
    const order = i % 2 === 0 ? [...codes.keys()] : [...codes.keys()].toReversed()
    for (const k of order) {
      const { reading, milliseconds } = await timed(() => readers[k]!(one))
      reads[k]!.times.push(milliseconds)
      reads[k]!.marks.push(suite.judge(one, reading))
      if (values.texts !== undefined) writeText(values.texts, suite, `${one.name}.${codes[k]!.name}`, reading)
    }
  }
  lines.push(...rowsOf(suite, reads))
  notes.push(...listed(suite, cases, reads))
}

/** The result of one reading, and the shortest time of all rounds. */
async function timed(read: () => unknown): Promise<{ reading: unknown; milliseconds: number }> {
  let milliseconds = Infinity
  let reading: unknown
  for (let round = 0; round < Number(values.rounds); round++) {
    const started = performance.now()
    reading = await read()
    milliseconds = Math.min(milliseconds, performance.now() - started)
  }
  return { reading, milliseconds }
}

/** Rows with the figures of all checkouts, as `before → now` where they differ. */
function rowsOf(suite: Suite, reads: readonly Read[]): string[][] {
  const byCode = reads.map(({ marks }) => suite.rows(marks))
  const times = reads.map((one) => one.times)
  const ratio = median(times[0]!.map((before, i) => times.at(-1)![i]! / before))
  return byCode
    .at(-1)!
    .map((row, i) => [
      i === 0 ? suite.name : "",
      row.of,
      String(row.cases),
      figuresOf(byCode.map((rows) => rows[i])),
      ...(reads.length > 1 ? [i === 0 ? `× ${ratio.toFixed(2)}` : ""] : []),
      i === 0 ? suite.goal : "",
    ])
}

function figuresOf(rows: readonly (Row | undefined)[]): string {
  return Object.keys(rows.at(-1)!.figures)
    .map((name) => `${name} ${[...new Set(rows.map((row) => row?.figures[name] ?? "none"))].join(" → ")}`)
    .join(", ")
}

function listed(suite: Suite, cases: readonly { readonly name: string }[], reads: readonly Read[]): string[] {
  const { marks } = reads.at(-1)!
  const below = values.list ? Infinity : (suite.listBelow ?? 0)
  const worst = cases
    .map(({ name }, i) => ({ name, mark: marks[i]!, was: reads[0]!.marks[i]! }))
    .filter(({ mark }) => mark.score < below)
    .toSorted((a, b) => a.mark.score - b.mark.score)
  if (worst.length === 0) return []
  const line = ({ name, mark, was }: (typeof worst)[number]) =>
    `- ${name}: ${mark.said}${was.said === mark.said ? "" : ` (before: ${was.said})`}`
  return [`\n${suite.name}:`, ...worst.map(line)]
}

function writeText(folder: string, suite: Suite, name: string, reading: unknown): void {
  const file = join(folder, suite.name, `${name.replaceAll("/", "-").slice(0, 150)}.md`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, suite.text?.(reading) ?? JSON.stringify(reading, null, 1))
}
