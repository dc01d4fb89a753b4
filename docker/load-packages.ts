import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

// Loads every package that the code in the image names, so that what `prune-packages.ts` took out is not missed later.
// `node /app/docker/load-packages.ts`

const ROOT = join(import.meta.dirname, "..")
const NAMED = /(?:\bfrom |\bimport\(?\s*)"((?!node:|[.#])[^"]+)"/g
const TYPES_ONLY = /^import type .*$/gm

const packages = new Set<string>()
for (const part of ["api", "base", "command", "crawler", "engine"]) {
  for (const name of readdirSync(join(ROOT, part), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue
    const code = readFileSync(join(ROOT, part, name), "utf8").replaceAll(TYPES_ONLY, "")
    for (const [, named] of code.matchAll(NAMED)) if (named !== undefined) packages.add(named)
  }
}
if (packages.size === 0) throw new Error(`no code is in ${ROOT}`)
for (const name of packages) await import(name)
process.stdout.write(`${packages.size} packages load\n`)
process.exit(0)
