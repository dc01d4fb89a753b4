import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  besideTheFloors,
  circlesOf,
  DOORS,
  FLOORS,
  importsOf,
  isUseCase,
  outOfCore,
  outOfUseCases,
  pastDoors,
  ROOT,
  roomOf,
  sourceFiles,
} from "./imports.ts"
import { drawMatrix } from "./matrix.ts"
import { foldersOf, withFloors } from "./floors.ts"

const files = sourceFiles()
const imports = importsOf(files)

describe("the imports of this project", () => {
  test("are all found by this test", () => {
    expect(files.length).toBeGreaterThan(500)
    expect(imports.length).toBeGreaterThan(2 * files.length)
    expect(imports).toContainEqual({ from: "crawler/main.ts", to: "base/settings.ts" })
    expect(imports).toContainEqual({ from: "engine/engine.ts", to: "engine/index/page/page.ts" })
  })

  test("reveal a cycle when there is one", () => {
    const around = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "a" },
      { from: "c", to: "d" },
    ]
    expect(circlesOf(around)).toEqual([["a", "b", "c"]])
  })

  test("go only from higher floors to lower ones", () => {
    const floorOf = (file: string) => FLOORS.findIndex((floor) => file.startsWith(`${floor}/`))
    expect(imports.filter(({ from, to }) => floorOf(from) < floorOf(to))).toEqual([])
  })

  test("from browser code lead only to the typed client", () => {
    const leaving = imports.filter(
      ({ from, to }) =>
        from.startsWith("faces/") && !from.startsWith("faces/build/") && !to.startsWith("faces/"),
    )
    expect(leaving.length).toBeGreaterThan(0)
    expect(leaving.filter(({ to }) => !to.startsWith("api/client/"))).toEqual([])
  })

  test("form no cycle of files, types included", () => {
    expect(circlesOf(imports)).toEqual([])
  })

  test("form no cycle of rooms", () => {
    expect(circlesOf(imports.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) })))).toEqual([])
  })

  test("match docs/imports.svg (npm run draw)", () => {
    expect(readFileSync(join(ROOT, "docs/imports.svg"), "utf8")).toBe(drawMatrix())
  })
})

describe("the doors of the API", () => {
  test("are found by this test", () => {
    for (const door of DOORS)
      expect(imports.filter(({ to }) => to.startsWith(`api/doors/${door}/`))).not.toEqual([])
    expect(imports.filter(({ from }) => from.startsWith("api/core/")).length).toBeGreaterThan(30)
  })

  test("are imported only by the list of features", () => {
    expect(pastDoors(imports)).toEqual([])
  })

  test("are unknown to the use cases", () => {
    expect([...outOfCore(imports), ...outOfUseCases(imports)]).toEqual([])
    const having = (word: RegExp) => (file: string) => word.test(readFileSync(join(ROOT, file), "utf8"))
    expect(files.filter(isUseCase).filter(having(/from "@?koa/))).toEqual([])
    // Field names in request and response bodies are in snake case.
    const core = files.filter((file) => file.startsWith("api/core/"))
    expect(core.filter(having(/\b[a-z]+_[a-z]/))).toEqual([])
  })

  test("report imports that bypass them", () => {
    const past = { from: "api/doors/x402/paid-search.ts", to: "api/doors/tavily/search.ts" }
    const listed = { from: "api/features.ts", to: "api/doors/tavily/feature.ts" }
    const own = { from: "api/doors/tavily/search.ts", to: "api/doors/tavily/schema.ts" }
    expect(pastDoors([past, listed, own])).toEqual([past])
    const toDoor = { from: "api/core/ask/ask.ts", to: "api/doors/tavily/schema.ts" }
    const toHttp = { from: "api/core/read/live-memory.ts", to: "api/context.ts" }
    const toReach = { from: "api/core/ask/ask.ts", to: "api/identity/accounts/reach/reach.ts" }
    const down = { from: "api/core/ask/ask.ts", to: "engine/index.ts" }
    expect(outOfCore([toDoor, toHttp, toReach, down])).toEqual([toDoor, toHttp])
    const watches = "api/services/watches"
    const answering = { from: `${watches}/own-watches.ts`, to: "api/server/middleware/json-body.ts" }
    const letIn = { from: `${watches}/routes.ts`, to: "api/server/middleware/json-body.ts" }
    const throughDoor = { from: `${watches}/routes.ts`, to: "api/doors/where.ts" }
    expect(outOfUseCases([answering, letIn, throughDoor, down])).toEqual([answering, throughDoor])
  })
})

test("the tables in docs/architecture.md match the folders (npm run draw)", () => {
  const text = readFileSync(join(ROOT, "docs/architecture.md"), "utf8")
  expect(text).toBe(withFloors(text))
})

/** The number of entries in a list that can be read at a glance. */
const MOST_FOLDERS = 9

test.each(FLOORS)("%s has at most nine folders", (floor) => {
  expect(foldersOf(floor).slice(MOST_FOLDERS)).toEqual([])
})

test("threads are started only in base/process/threads/thread.ts", () => {
  const isThreadStart = (file: string) => readFileSync(join(ROOT, file), "utf8").includes("new Worker(")
  expect(files.filter(isThreadStart)).toEqual(["base/process/threads/thread.ts"])
})

/** The number of files that one person can keep in mind; more files need another folder. */
const MOST_FILES = 12
/** A folder with at most this many files needs a README only if it makes a promise that the files don't state. */
const MOST_WITHOUT_README = 3
const HEADINGS = ["## What it promises", "## The words", "## The files in reading order"]

describe("every source folder", () => {
  const all = [...files, ...besideTheFloors()]
  const folders = [...new Set(all.map((file) => dirname(file)))].sort()

  test("is found by this test", () => {
    expect(folders).toEqual(
      expect.arrayContaining(["base", "command/commands/pages", "bench/speed", "docs/house"]),
    )
  })

  test.each(folders)("%s contains at most a dozen files", (folder) => {
    const own = all.filter((file) => dirname(file) === folder)
    expect(own.slice(MOST_FILES)).toEqual([])
  })

  const needsReadme = (folder: string) =>
    all.filter((file) => dirname(file) === folder).length > MOST_WITHOUT_README ||
    folders.some((other) => dirname(other) === folder)

  test.each(folders.filter(needsReadme))("%s has a README", (folder) => {
    expect(existsSync(join(ROOT, folder, "README.md"))).toBe(true)
  })

  const described = folders.filter((folder) => existsSync(join(ROOT, folder, "README.md")))

  test.each(described)("%s has a README with its promise, its terms and its files", (folder) => {
    const lines = readFileSync(join(ROOT, folder, "README.md"), "utf8").split("\n")
    expect(lines.filter((line) => HEADINGS.includes(line))).toEqual(HEADINGS)
    const unnamed = all.filter((file) => dirname(file) === folder && !names(lines, basename(file)))
    expect(unnamed).toEqual([])
  })

  test.each(described)("%s has a README that names its subfolders", (folder) => {
    const lines = readFileSync(join(ROOT, folder, "README.md"), "utf8").split("\n")
    const rooms = folders.filter((other) => dirname(other) === folder)
    expect(rooms.filter((room) => !names(lines, `${basename(room)}/`))).toEqual([])
  })
})

/** Whether a line names a file or folder as a separate word, so that `read.ts` doesn't match `thread.ts`. */
function names(lines: readonly string[], name: string): boolean {
  const word = new RegExp(`(?<![\\w.-])${name.replaceAll(".", "\\.")}(?![\\w-])`)
  return lines.some((line) => word.test(line))
}
