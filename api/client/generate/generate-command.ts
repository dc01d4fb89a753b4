import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { clientSource } from "./client-source.ts"

// npm run generate:client: makes api/client/calls.ts anew.
writeFileSync(join(import.meta.dirname, "../calls.ts"), await clientSource())
