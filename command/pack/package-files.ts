import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, join, relative } from "node:path"

/** The folders and files of the clone that make up the npm package. */
const PARTS = [
  "base",
  "engine",
  "crawler",
  "api",
  "command",
  "docs",
  "faces/dist",
  "README.md",
  "CHANGELOG.md",
  "THIRD-PARTY.md",
  "LICENSE",
]
const LEFT_OUT =
  /[.-]test\.ts$|(^|\/)testing(\/|$)|^command\/(?:pack(?:\/|$)|dev\.js$)|^docs\/(?:house|decisions)(?:\/|$)|^engine\/models\/build(\/|$)|^api\/client\/generate(\/|$)/
/** The handbook is served, so it is included; text in other folders is for people who work with a clone. */
const ELSEWHERE = /^(?!docs\/)[^/]+\/.*\.md$/

/** Paths, in the clone, of everything in the package. */
export function packageFiles(root: string): string[] {
  const found = PARTS.flatMap((part) =>
    part.includes(".") || part === "LICENSE" ? [part] : filesIn(root, part),
  )
  return found.filter((path) => !LEFT_OUT.test(path) && !ELSEWHERE.test(path))
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
}

/**
 * Copies the files. Node does not strip types inside `node_modules`, so this strips them, with the same stripper; line
 * numbers stay the same.
 */
export function writePackageFiles(root: string, to: string): void {
  for (const path of packageFiles(root)) {
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true })
    if (path.endsWith(".ts")) {
      writeFileSync(target.replace(/\.ts$/, ".js"), asJavaScript(readFileSync(join(root, path), "utf8")))
    } else {
      cpSync(join(root, path), target)
    }
  }
}

/** Strips the types, and renames imports of this project's modules to their names in the package. */
export function asJavaScript(code: string): string {
  return named(stripTypeScriptTypes(code))
}

const named = (code: string): string =>
  code.replaceAll(/(\b(?:from|import)\s*\(?\s*"[.#][^"\n]*)\.ts"/g, '$1.js"')

/** Writes the client's types, which its JavaScript no longer contains. */
export function writeDeclarations(root: string, to: string): void {
  const folder = "api/client"
  execFileSync(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "--ignoreConfig",
    "--declaration",
    "--emitDeclarationOnly",
    "--allowImportingTsExtensions",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--types",
    "node",
    "--rootDir",
    join(root, folder),
    "--outDir",
    join(to, folder),
    join(root, folder, "client.ts"),
  ])
  for (const name of readdirSync(join(to, folder)).filter((one) => one.endsWith(".d.ts"))) {
    const file = join(to, folder, name)
    writeFileSync(file, named(readFileSync(file, "utf8")))
  }
}

/** Files of bundled packages that Node never loads: sources, types, builds for browsers, and nested packages. */
const UNUSED =
  /\.(map|d\.[cm]?ts|md|html)$|(^|\/)src\/.*\.ts$|^types\/|^dist\/.*(browser|wasm|\.min\.)|^dist\/transformers\./

/** Copies a bundled package, without its package.json and unneeded files. Licences are always kept. */
export function copyBundled(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = relative(from, join(entry.parentPath, entry.name)).replaceAll("\\", "/")
    if (path === "package.json" || path.startsWith("node_modules/")) continue
    if (UNUSED.test(path) && !/licen[cs]e/i.test(path)) continue
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
  }
}
