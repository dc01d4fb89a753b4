import { join } from "node:path"

import { JOINED, joinModules } from "./join-modules.ts"

// Runs after an installation: joins packages of many small modules into one module each.

for (const name of JOINED) await joinModules(join(import.meta.dirname, "../../node_modules", name))
