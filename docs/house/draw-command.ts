import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withFloors } from "./floors.ts"
import { ROOT } from "./imports.ts"
import { drawMatrix } from "./matrix.ts"

// npm run draw: regenerates docs/imports.svg and the tables in docs/architecture.md.
writeFileSync(join(ROOT, "docs/imports.svg"), drawMatrix())
const page = join(ROOT, "docs/architecture.md")
writeFileSync(page, withFloors(readFileSync(page, "utf8")))
