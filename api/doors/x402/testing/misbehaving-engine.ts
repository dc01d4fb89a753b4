import { setTimeout as pause } from "node:timers/promises"

import type { Engine } from "#engine"
import { openSearchEngine as openReal } from "#engine/open-engine.ts"
import { wordsOf } from "#engine/text/query-text.ts"

export * from "#engine/open-engine.ts"

/** Opens the real engine behind one that misbehaves. */
export const openSearchEngine: typeof openReal = async (...how) => {
  const engine = await openReal(...how)
  const real: Engine["search"] = engine.search.bind(engine)
  const search: Engine["search"] = async (query, options) => {
    const text = wordsOf(query.text)
    const slow = /__slow:(\d+)__/.exec(text)
    if (slow) await pause(Number(slow[1]), undefined, options?.signal ? { signal: options.signal } : {})
    if (/__(?:500|throw)__/.test(text)) throw new Error("the search was told to fail")
    return real(query, options)
  }
  return Object.assign(engine, { search })
}
