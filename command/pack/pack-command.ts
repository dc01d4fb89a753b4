import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { buildFaces } from "../../faces/build/build-faces.ts"
import { JOINED, joinModules } from "../install/join-modules.ts"
import {
  type Asking,
  bundledManifest,
  bundledNames,
  type Lock,
  type Manifest,
  type NodePackage,
  packedManifest,
} from "./manifest.ts"
import { writeRelease } from "./write-release.ts"
import { copyBundled, writeDeclarations, writePackageFiles } from "./package-files.ts"

// `npm run pack [folder] [--sign key.pem]`: makes the npm package, in the folder dist, with its SBOM and its signed
// manifest. `npm pack` also runs this as its last step: npm's own package would contain TypeScript, which Node does not
// run from a package, so this replaces npm's file.

const ROOT = join(import.meta.dirname, "../..")
/** The npm registry accepts larger packages, but people wait for the download. Three models account for 82 MB of it. */
const MOST_BYTES = 95_000_000

const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), "utf8"))
const own = read("package.json") as Manifest
const nodes = read("command/pack/node-packages.json") as Record<string, NodePackage>
const isPostpack = process.env["npm_lifecycle_event"] === "postpack"
if (isPostpack && process.env["npm_config_dry_run"] === "true") process.exit()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  // The private key that signs the manifest, a PEM file; if left out, the manifest is not signed.
  options: { sign: { type: "string" } },
  args: isPostpack ? [] : process.argv.slice(2),
})
const to = isPostpack
  ? process.env["npm_config_pack_destination"] || ROOT
  : (positionals[0] ?? join(ROOT, "dist"))
const stage = mkdtempSync(join(tmpdir(), "fossick-pack-"))
try {
  await buildFaces()
  writePackageFiles(ROOT, stage)
  writeDeclarations(ROOT, stage)
  const write = (file: string, value: unknown) => {
    writeFileSync(join(stage, file), `${JSON.stringify(value, null, 2)}\n`)
  }
  const lock = read("package-lock.json") as Lock
  const bundled = bundledNames(own, lock)
  const asking: Record<string, Asking> = {}
  for (const name of bundled) {
    const folder = join("node_modules", name)
    copyBundled(join(ROOT, folder), join(stage, folder))
    const manifest = read(join(folder, "package.json")) as Record<string, unknown>
    asking[name] = bundledManifest(name, manifest, own, lock)
    write(join(folder, "package.json"), asking[name])
    if (JOINED.includes(name)) await joinModules(join(stage, folder))
  }
  write("package.json", packedManifest(own, nodes, asking))
  mkdirSync(to, { recursive: true })
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", to]
  const name = execFileSync("npm", args, {
    cwd: stage,
    encoding: "utf8",
    shell: process.platform === "win32",
  }).trim()
  const file = join(to, name)
  const { size } = statSync(file)
  process.stdout.write(`${file} (${(size / 1e6).toFixed(1)} MB)\n`)
  // `npm pack` itself makes a single file.
  const beside = isPostpack ? [] : await writeRelease(ROOT, file, values.sign ?? null)
  for (const one of beside) process.stdout.write(`${one}\n`)
  if (size > MOST_BYTES) {
    process.stderr.write(`That is more than ${MOST_BYTES / 1e6} MB.\n`)
    process.exitCode = 1
  }
} finally {
  rmSync(stage, { recursive: true, force: true })
}
