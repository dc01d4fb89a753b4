import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { type Engined, refusing } from "./engines.ts"

// `npm run lock`, after packages were added or changed. Every package runs on the Node version that the package `node`
// installs, but npm checks requirements against the Node version that it runs on itself, and warns if they are not met.
// npm reads the requirements from the lock file, so this command drops the requirements of packages that refuse the
// oldest Node supported for running npm.

const ROOT = join(import.meta.dirname, "../..")
const FILE = join(ROOT, "package-lock.json")

const lock = JSON.parse(readFileSync(FILE, "utf8")) as {
  packages: Record<string, { engines?: Engined["engines"] }>
}
const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } }
for (const path of refusing(lock.packages, own.engines.node.replace(">=", ""))) {
  delete lock.packages[path]!.engines
  process.stdout.write(`${path}: can be installed with any Node.js version\n`)
}
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
