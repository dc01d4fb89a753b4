import { join } from "node:path"

import { namedPackages } from "./named-packages.ts"

// Loads every package that the image's code imports, so that anything wrongly removed by `prune-packages.ts` is noticed
// now. `node /app/docker/load-packages.ts`

const ROOT = join(import.meta.dirname, "..")

const packages = namedPackages(ROOT)
if (packages.size === 0) throw new Error(`there is no code in ${ROOT}`)
for (const name of packages) await import(name)
process.stdout.write(`${packages.size} packages load\n`)
process.exit(0)
