import { join } from "node:path"

import { JOINED, joinModules } from "./join-modules.ts"

// After an installation: has packages of many small modules load as one.

for (const name of JOINED) await joinModules(join(import.meta.dirname, "../../node_modules", name))
