import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const read = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8")
const benches = JSON.parse(read("benches.json")) as Record<string, { readonly file: string }>

test("every bench that can be run is there, and in the README's table", () => {
  const missing = Object.values(benches).filter(({ file }) => !existsSync(join(import.meta.dirname, file)))
  expect(missing).toEqual([])
  const named = [...read("README.md").matchAll(/^\| `npm run bench -- ([\w-]+)/gm)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(Object.keys(benches)))
})
