import { join } from "node:path"

import { JOINED, joinModules } from "./join-modules.ts"

// Runs after an installation: joins each package that consists of many small modules into a single module.

for (const name of JOINED) await joinModules(join(import.meta.dirname, "../../node_modules", name))
