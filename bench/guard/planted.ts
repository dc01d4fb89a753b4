// Checks that the guard notices a slowdown of a tenth: node bench/guard/planted.ts [--only crawl,rest,…] [--minutes 3] [--together]
//
// Makes two copies of the last commit outside the repository. It measures each line with both copies unchanged, then with a tenth of the line's
// figure added to one copy in the code that the line measures, as a busy loop or as memory. No pass of a line begins after `--minutes`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine, MB, table } from "../measure.ts"
import { worktreeOf } from "./checkout.ts"
import { compare, type Result, rowOf } from "./comparison.ts"
import { LINES } from "./lines.ts"
import { MOST } from "./statistic.ts"

const SHARE = 0.1

/** The place for a line's extra tenth: right after the text `behind` in a file. */
interface Plant {
  readonly file: string
  readonly behind: string
  /** @param figure a tenth of the line's figure, in the line's unit */
  code(figure: number): string
}

/** Code that keeps its thread busy for so many milliseconds of processor time, however busy the machine is. */
const busy = (ms: number): string =>
  ` { const at = process.threadCpuUsage(); for (;;) { const { user, system } = process.threadCpuUsage(at); if (user + system >= ${ms * 1000}) break } }`

const ASK = {
  file: "api/core/ask/ask.ts",
  behind: "readonly answered: Answered | null }> {",
  code: busy,
}
const START = { file: "api/main.ts", behind: "async function serve(): Promise<void> {" }

const PLANTS: Readonly<Record<string, Plant>> = {
  reading: {
    file: "crawler/page/read-body.ts",
    behind: "async function extracted(task: ReadBodyTask): Promise<Extracted> {",
    code: busy,
  },
  crawl: {
    file: "crawler/crawl/page-writer.ts",
    behind: "async add(item: Item): Promise<void> {",
    code: (ms) => ` if (item.page) ${busy(ms)}`,
  },
  recrawl: {
    file: "crawler/fetch/visit/reader.ts",
    behind: "async visit(url: PageUrl, options: VisitOptions = {}): Promise<Visit> {",
    code: busy,
  },
  vectors: {
    file: "engine/models/embedders/embed-worker.ts",
    behind: "const ids = tokenIds(text)",
    code: busy,
  },
  question: ASK,
  advanced: ASK,
  answer: ASK,
  start: { ...START, code: busy },
  ready: { ...START, code: busy },
  rest: {
    ...START,
    code: (megabytes) =>
      ` Object.assign(globalThis, { planted: Buffer.alloc(${Math.round(megabytes * MB)}, 1) })`,
  },
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    minutes: { type: "string", default: "3" },
    together: { type: "boolean", default: false },
  },
})
using plain = worktreeOf("HEAD")
using copy = worktreeOf("HEAD")
const rows: string[][] = []
let isProved = true
for (const line of values.only?.split(",") ?? LINES) {
  const plant = PLANTS[line]
  if (!plant) throw new Error(`no plant for ${line}; there are ${Object.keys(PLANTS).join(", ")}`)
  const same = await measured(line)
  const file = join(copy.root, plant.file)
  const text = readFileSync(file, "utf8")
  if (!text.includes(plant.behind)) throw new Error(`${plant.file} has changed: choose another place in it`)
  writeFileSync(
    file,
    text.replace(plant.behind, (found) => found + plant.code(same.now * SHARE)),
  )
  const more = await measured(line)
  writeFileSync(file, text)
  rows.push([line, ...rowOf(same).slice(4), ...rowOf(more).slice(4)])
  isProved &&= same.verdict === "passes" && more.verdict === "slower"
}
const head = ["line", "unchanged", "95 % interval", "verdict", "a tenth more", "95 % interval", "verdict"]
console.log(`${machine()}\n\n${table([head, ...rows])}`)
process.exitCode = isProved ? 0 : 1

async function measured(line: string): Promise<Result> {
  const [result] = await compare({ before: plain.root, now: copy.root }, [line], {
    together: values.together,
    minutes: Number(values.minutes),
    allowed: () => MOST,
  })
  return result!
}
