import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { clientSource } from "./client-source.ts"

// npm run generate:client: regenerates api/client/calls.ts.
writeFileSync(join(import.meta.dirname, "../calls.ts"), await clientSource())
