import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./imports.ts"
import { drawMatrix } from "./matrix.ts"

// npm run draw: makes docs/imports.svg anew.
writeFileSync(join(ROOT, "docs/imports.svg"), drawMatrix())
