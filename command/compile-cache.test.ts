import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

const COMMAND = import.meta.dirname

/** Runs a program with the compile cache on. @returns the cache folder that is passed on to its child processes */
async function told(folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  mkdirSync(join(folder, "command"))
  cpSync(join(COMMAND, "compile-cache.js"), join(folder, "command/compile-cache.js"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const program = join(folder, "command/program.js")
  writeFileSync(
    program,
    'import { keepCompiled } from "./compile-cache.js"\nawait keepCompiled(process.env)\nconsole.log(process.env.NODE_COMPILE_CACHE ?? "")\n',
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  return stdout.trim()
}

test("compiled code is cached beside the packages, for this process and those it starts", async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "node_modules"))
  const cache = join(folder.path, "node_modules/.cache/compiled")
  expect(await told(folder.path, {})).toBe(cache)
  expect(existsSync(cache)).toBe(true)
})

test.each([
  ["no packages are there", {}, ""],
  ["another folder is named", { NODE_COMPILE_CACHE: "/elsewhere" }, "/elsewhere"],
  ["none is wanted", { NODE_DISABLE_COMPILE_CACHE: "1" }, ""],
])("compiled code is not cached if %s", async (what, env, expected) => {
  using folder = temporaryFolder()
  const packages = join(folder.path, "node_modules")
  if (what !== "no packages are there") mkdirSync(packages)
  expect(await told(folder.path, env as Record<string, string>)).toBe(expected)
  expect(existsSync(join(packages, ".cache"))).toBe(false)
})
