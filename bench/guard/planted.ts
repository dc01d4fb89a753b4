// Whether the guard notices a tenth: node bench/guard/planted.ts [--only crawl,rest,…] [--minutes 3] [--together]
//
// Makes two copies of the last commit outside of the repository. Each line is measured with both as they are, then with a tenth of the line's
// figure planted in one of them, in the path that it measures: a busy loop, or memory that is held. `--minutes`: for a line, before its last pass begins.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine, MB, table } from "../measure.ts"
import { worktreeOf } from "./checkout.ts"
import { compare, type Result, rowOf } from "./comparison.ts"
import { LINES } from "./lines.ts"
import { MOST } from "./statistic.ts"

const SHARE = 0.1

/** Where a line's tenth goes: behind a text of a file. */
interface Plant {
  readonly file: string
  readonly behind: string
  /** @param figure of the line */
  code(figure: number): string
}

/** Keeps a thread busy for so many milliseconds of its own processor time, whatever else the machine does. */
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
  if (!plant) throw new Error(`nothing is planted for ${line}; known: ${Object.keys(PLANTS).join(", ")}`)
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
const head = ["line", "the same", "95 % interval", "verdict", "a tenth more", "95 % interval", "verdict"]
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
