import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { thirdPartyText } from "./third-party.ts"

// `npm run third-party`, after packages were added or changed: writes THIRD-PARTY.md.

const ROOT = join(import.meta.dirname, "../..")
writeFileSync(join(ROOT, "THIRD-PARTY.md"), thirdPartyText(ROOT))
