import type { Engine } from "#engine"
import { delegate } from "#engine/lifecycle/generations/delegate.ts"

import type { RuleStore } from "./rule-store.ts"

/** The same engine; searches and counts apply the operator's current rules, unless the call passes rules of its own. */
export function ruledEngine(engine: Engine, rules: Pick<RuleStore, "list">): Engine {
  return {
    ...delegate(engine),
    search: async (query, options) => engine.search({ rules: await rules.list(), ...query }, options),
    facets: async (query, options) => engine.facets({ rules: await rules.list(), ...query }, options),
  }
}
