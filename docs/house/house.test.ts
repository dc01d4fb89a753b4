import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { circlesOf, FLOORS, importsOf, ROOT, roomOf, sourceFiles } from "./imports.ts"
import { drawMatrix } from "./matrix.ts"

const files = sourceFiles()
const imports = importsOf(files)

describe("the imports of the house", () => {
  test("are all read by this test", () => {
    expect(files.length).toBeGreaterThan(500)
    expect(imports.length).toBeGreaterThan(2 * files.length)
    expect(imports).toContainEqual({ from: "crawler/main.ts", to: "base/settings.ts" })
    expect(imports).toContainEqual({ from: "engine/engine.ts", to: "engine/page/page.ts" })
  })

  test("find a circle where there is one", () => {
    const around = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "a" },
      { from: "c", to: "d" },
    ]
    expect(circlesOf(around)).toEqual([["a", "b", "c"]])
  })

  test("run down from floor to floor", () => {
    const floorOf = (file: string) => FLOORS.findIndex((floor) => file.startsWith(`${floor}/`))
    expect(imports.filter(({ from, to }) => floorOf(from) < floorOf(to))).toEqual([])
  })

  test("make no circle of files, types included", () => {
    expect(circlesOf(imports)).toEqual([])
  })

  test("make no circle of rooms", () => {
    expect(circlesOf(imports.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) })))).toEqual([])
  })

  test("are drawn in docs/imports.svg as they are (npm run draw)", () => {
    expect(readFileSync(join(ROOT, "docs/imports.svg"), "utf8")).toBe(drawMatrix())
  })
})
