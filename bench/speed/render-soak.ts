import { parseArgs } from "node:util"
import { findBrowser } from "#crawler/fetch/render/find-browser.ts"
import { machine, MB, median, short } from "../measure.ts"
import { type SoakSample, soakRenders } from "./soak-renders.ts"

// Renders many pages, some of them hostile, and shows whether processes or memory grow.

const { values } = parseArgs({ options: { renders: { type: "string", default: "500" } } })
const renders = Number(values.renders)
const found = await findBrowser("")
if ("missing" in found) throw new Error(found.missing)

const line = (cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`)

process.stdout.write(`${machine()}\n${renders} renders in ${found.path}\n\n`)
line(["renders", "browser processes", "their own MB", "this process MB"])
line(["---", "---", "---", "---"])
const began = performance.now()
const { samples, outcomes, left } = await soakRenders({
  renders,
  every: Math.max(1, Math.floor(renders / 20)),
  onSample: ({ done, processes, browserBytes, ownBytes }) => {
    line([done, processes, short(browserBytes / MB), short(ownBytes / MB)])
  },
})
const seconds = (performance.now() - began) / 1000
const quarter = Math.max(1, Math.floor(samples.length / 4))
const growth = (of: (sample: SoakSample) => number) => {
  const middle = (some: readonly SoakSample[]) => median(some.map(of))
  return `${short(middle(samples.slice(0, quarter)))} -> ${short(middle(samples.slice(-quarter)))}`
}
process.stdout.write(
  `\nmedian of the first and of the last quarter: processes ${growth(({ processes }) => processes)}, ` +
    `browser MB ${growth(({ browserBytes }) => browserBytes / MB)}, this process MB ${growth(({ ownBytes }) => ownBytes / MB)}\n` +
    `outcomes: ${JSON.stringify(outcomes)}\n` +
    `${short(seconds)} s, ${short(renders / seconds)} pages a second; browser processes left at the end: ${left}\n`,
)
if (left > 0) process.exitCode = 1
