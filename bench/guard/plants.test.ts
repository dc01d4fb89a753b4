import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LINES } from "./lines.ts"
import { PLANTS } from "./plants.ts"

test("each line of the guard has a place for a slowdown, in the code as it is now", () => {
  expect(Object.keys(PLANTS).toSorted()).toEqual([...LINES].toSorted())
  for (const { file, behind } of Object.values(PLANTS))
    expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8")).toContain(behind)
})
