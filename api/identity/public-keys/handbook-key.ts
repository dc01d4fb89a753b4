import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { somePage } from "#crawler/crawl/frontier/source-pages.ts"
import { isDeclared } from "#crawler/sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { PUBLIC_PREFIX, type PublicKey } from "../accounts/public-keys/public-key.ts"

/**
 * The public key of the handbook's pages: the same everywhere, because it finds only what anyone may read at `/docs/`.
 */
export const HANDBOOK_KEY = `${PUBLIC_PREFIX}handbook`

/**
 * The key of the appliance's own handbook, only for the appliance's pages.
 * @returns the key for its text; null for any other text, if no handbook was crawled, or if the operator has a source
 * with the same name
 */
export function handbookKey(db: StateStore): (text: string) => Promise<PublicKey | null> {
  const key: PublicKey = {
    id: "handbook",
    text: HANDBOOK_KEY,
    name: "The appliance's own handbook",
    source: HANDBOOK_SOURCE,
    collection: null,
    origins: [],
    answers: true,
    rateLimits: null,
    credits: null,
    createdAt: new Date(0),
    disabledAt: null,
  }
  return async (text) =>
    text === HANDBOOK_KEY &&
    !(await isDeclared(db, HANDBOOK_SOURCE)) &&
    (await somePage(db, HANDBOOK_SOURCE)) !== null
      ? key
      : null
}
