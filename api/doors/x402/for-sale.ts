import { unknownSource } from "#crawler/sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"

import { UNLIMITED } from "../../identity/accounts/keys/key-scope.ts"
import { type Collections, unknownCollection } from "../../identity/accounts/reach/collections.ts"
import { type LimitParts, pageLimits, scopedEngine } from "../../identity/accounts/reach/scoped-pages.ts"
import { type Selling, type X402Config, x402Settings } from "./settings.ts"

/**
 * The unknown names among those for sale, as text, or null. Without this check, payers could pay for
 * answers from an empty set.
 */
export async function unknownForSale(
  { forSale }: Pick<X402Config, "forSale">,
  db: StateStore,
  collections: Pick<Collections, "has" | "list">,
): Promise<string | null> {
  if (forSale === null) return null
  const source = await unknownSource(db, forSale.sources)
  if (source !== null) return `${x402Settings.sources.name}: ${source}`
  const collection = await unknownCollection(collections, forSale.collections)
  return collection === null ? null : `${x402Settings.collections.name}: ${collection}`
}

/** The line about sales on the first screen; null if selling isn't set up. */
export function salesLine(selling: Selling, unsold: string | null, port: number | undefined): string | null {
  if (unsold !== null) return `no searches are sold. ${unsold}`
  if (selling.on)
    return `searches are for sale at ${selling.config.publicUrl} (port ${port}, ${selling.config.network})`
  return selling.missing.length === 0
    ? null
    : `no searches are sold until ${selling.missing.join(", ")} are set too`
}

/** The engine for payers: whatever a query says, it returns only pages that are for sale. */
export function engineForSale(
  engine: Pick<Engine, "search">,
  forSale: X402Config["forSale"],
  parts: LimitParts,
): Pick<Engine, "search"> {
  // Payers are anonymous: they only see pages that aren't restricted to certain readers.
  const limited = { scope: { ...UNLIMITED, ...forSale }, principals: [] }
  return scopedEngine(engine, () => pageLimits(limited, parts))
}
