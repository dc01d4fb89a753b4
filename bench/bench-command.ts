import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { readJson } from "./data-files.ts"

// `npm run bench -- NAME …`: runs a benchmark with its options; without a name, lists all benchmarks.
const BENCHES = readJson(new URL("benches.json", import.meta.url), {
  values: { properties: { file: { type: "string" }, measures: { type: "string" } } },
})

const [name = "", ...options] = process.argv.slice(2)
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench) {
  const file = join(import.meta.dirname, bench.file)
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: "inherit" })
  process.exitCode = status ?? 1
} else {
  if (name !== "") console.error(`There is no bench named ${name}.`)
  console.error(
    "npm run bench -- NAME [options]; bench/README.md says what each needs and how long it takes:\n",
  )
  for (const [one, { measures }] of Object.entries(BENCHES)) console.error(`  ${one.padEnd(14)} ${measures}`)
  process.exitCode = 2
}
