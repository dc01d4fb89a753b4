import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readJson, readTextLines } from "./data-files.ts"

const here = (file: string) => new URL(file, import.meta.url)
const benches = readJson(here("benches.json"), {
  values: { properties: { file: { type: "string" } }, additionalProperties: true },
})

test("every runnable bench exists and is listed in the README", () => {
  const missing = Object.values(benches).filter(({ file }) => !existsSync(join(import.meta.dirname, file)))
  expect(missing).toEqual([])
  const named = readTextLines(here("README.md")).flatMap(
    (line) => /^\| `npm run bench -- ([\w-]+)/.exec(line)?.[1] ?? [],
  )
  expect(new Set(named)).toEqual(new Set(Object.keys(benches)))
})
