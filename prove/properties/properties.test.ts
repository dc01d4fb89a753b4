import { readFileSync, globSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { AREAS, held } from "./properties.ts"

const ROOT = join(import.meta.dirname, "../..")
const short = { scale: 0.001, seed: 3, tell: () => {} }

test("Properties are checked with the requested number of generated cases, and counted", async () => {
  const { rows, faults } = await held(
    short,
    AREAS.filter(({ what }) => what === "addresses"),
  )
  expect(faults).toEqual([])
  expect(rows.at(-1)).toEqual(["total", "", 3, 500, 0])
})

test("A property that fails is a fault, with its counterexample", async () => {
  const area = { what: "a", held: "b", test: "prove/properties/testing/broken.test.ts" }
  const { rows, faults } = await held(short, [area])
  expect(rows[0]).toEqual(["a", "b", 1, 2000, 1])
  expect(faults).toEqual([expect.stringContaining("Counterexample")])
})

test("Every property test with an oracle is among those checked", () => {
  const files = globSync("{base,engine,crawler,api}/**/*.property.test.ts", { cwd: ROOT })
  expect(files.filter((file) => !AREAS.some(({ test }) => test === file))).toEqual([])
  for (const { test: file } of AREAS) {
    const code = readFileSync(join(ROOT, file), "utf8")
    expect([file, code.match(/madeUp\(/g)?.length]).toEqual([file, code.match(/fc\.assert\(/g)?.length])
  }
})
