import { steadyNow } from "#base/steady-time.ts"

import { buildFaces } from "./build-faces.ts"

// `npm run build:faces`: also run by the appliance in a clone whose build is missing or old.

const since = steadyNow()
const isNew = await buildFaces()
process.stdout.write(
  isNew ? `Built the faces in ${Math.round(steadyNow() - since)} ms\n` : "The faces are up to date.\n",
)
