import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

import { playWatchedWeek } from "./watched-week.ts"

// A week of watches while processes are killed; see README.md.

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "7" },
    seed: { type: "string", default: "1" },
    "without-question": { type: "boolean", default: false },
  },
})
const folder = await mkdtemp(join(tmpdir(), "fossick-watched-week-"))
try {
  const { verdicts, kills, repeated } = await playWatchedWeek(folder, {
    days: Number(values.days),
    seed: Number(values.seed),
    asks: !values["without-question"],
    say: (text) => void process.stderr.write(`${text}\n`),
  })
  process.stdout.write("| watch | told by | changes | told | lost | doubled |\n|---|---|---|---|---|---|\n")
  for (const { watch, way, expected, told, lost, doubled } of verdicts)
    process.stdout.write(
      `| ${watch} | ${way} | ${expected} | ${told} | ${lost.join("; ") || 0} | ${doubled.join("; ") || 0} |\n`,
    )
  process.stdout.write(`\n${kills} processes killed; ${repeated} webhooks came again under the same id.\n`)
  process.exitCode = verdicts.some(({ lost, doubled }) => lost.length + doubled.length > 0) ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}
