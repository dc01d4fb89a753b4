// Checks that the guard notices a slowdown of a tenth: node bench/guard/planted.ts [--only crawl,rest,…] [--minutes 3]
// [--together]
//
// Makes two copies of the last commit outside the repository. Measures each line with both copies unchanged, then with
// a tenth of the line's figure added to one copy in the code that the line measures, as a busy loop or as memory. No
// pass of a line begins after `--minutes`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine, table } from "../measure.ts"
import { worktreeOf } from "./checkout.ts"
import { compare, type Result, rowOf } from "./comparison.ts"
import { LINES } from "./lines.ts"
import { PLANTS } from "./plants.ts"
import { MOST } from "./statistic.ts"

const SHARE = 0.1

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
