import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import { join } from "node:path"

// Preloaded into the real appliance by `node --import`, this module lets tests make a search misbehave through its
// query: `__500__` and `__throw__` fail, and `__slow:300__` takes 300 ms longer. The appliance's own files stay
// unchanged: only their import of the engine's opener is replaced by misbehaving-engine.ts.

const OPENER = pathToFileURL(join(import.meta.dirname, "../../../../engine/open-engine.ts")).href
const MISBEHAVING = pathToFileURL(join(import.meta.dirname, "misbehaving-engine.ts")).href

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    return resolved.url === OPENER && context.parentURL !== MISBEHAVING
      ? { ...resolved, url: MISBEHAVING }
      : resolved
  },
})
