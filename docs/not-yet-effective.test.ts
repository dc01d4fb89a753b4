import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { NOT_YET_EFFECTIVE } from "../api/tavily/not-yet-effective.ts"

test("the handbook lists, endpoint by endpoint, exactly the parameters that have no effect yet", () => {
  const page = readFileSync(join(import.meta.dirname, "not-yet-effective.md"), "utf8")
  const listed = page
    .split("\n## ")
    .slice(1)
    .map((section) => {
      const endpoint = section.slice(0, section.indexOf("\n"))
      return [endpoint, [...section.matchAll(/^- `(\w+)`/gm)].map((bullet) => bullet[1])]
    })
  expect(Object.fromEntries(listed)).toEqual(NOT_YET_EFFECTIVE)
})
