import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { installedNode, isNewEnough, noNode } from "./find-node.js"

const system = process.platform === "win32" ? "win" : process.platform
const program = process.platform === "win32" ? "bin/node.exe" : "bin/node"

/** Creates a folder with these files in its node_modules. Returns the address of a module in it. */
function installation(folder: string, files: readonly string[]): string {
  for (const path of files) {
    const file = join(folder, "node_modules", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, path.endsWith(".json") ? "{}" : "")
    chmodSync(file, 0o755)
  }
  return pathToFileURL(join(folder, "command/fossick.js")).href
}

test("a clone has a Node that is new enough", () => {
  const node = installedNode(import.meta.url)!
  expect(isNewEnough(execFileSync(node, ["--version"], { encoding: "utf8" }).slice(1))).toBe(true)
})

test("the package for this system works, even if no install script has run", ({ skip }) => {
  skip(
    process.platform === "darwin" && process.arch === "arm64",
    "the package for this system has another name",
  )
  using folder = temporaryFolder()
  const name = `node-${system}-${process.arch}`
  const from = installation(folder.path, ["node/package.json", `${name}/package.json`, `${name}/${program}`])
  expect(installedNode(from)).toBe(join(folder.path, "node_modules", name, program))
})

test("without a suitable Node, instructions are shown", () => {
  using folder = temporaryFolder()
  expect(installedNode(installation(folder.path, ["node/package.json"]))).toBeNull()
  expect(noNode("v20.1.0")).toMatch(/needs Node\.js 24 or newer\. This is v20\.1\.0.*nodejs\.org.*npm ci/s)
})

test.each([
  ["20.20.2", false],
  ["22.19.0", false],
  ["24.0.0", true],
  ["26.1.0", true],
])("Node %s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected)
})
