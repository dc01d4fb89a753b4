import type { StateStore } from "#base/store/state-store.ts"
import { environment, readSettings } from "#base/settings.ts"
import type { SourceReference } from "#crawler/sources/written/references.ts"

import { openKeyStore } from "../../identity/accounts/keys/keys.ts"
import { openCollections } from "../../identity/accounts/reach/collections.ts"
import { x402Settings } from "../../doors/x402/settings.ts"

/**
 * The places besides the sources file that refer to sources: valid keys, collections, and the setting for searches on
 * sale.
 * @throws SettingsError
 */
export async function sourceReferences(db: StateStore | null): Promise<readonly SourceReference[]> {
  const { sources } = readSettings({ sources: x402Settings.sources }, environment())
  const setting = { by: x402Settings.sources.name, sources: sources.filter((name) => name !== "*") }
  if (db === null) return [setting]
  const now = Date.now()
  const keys = (await openKeyStore(db, "").list()).filter(
    ({ disabledAt, expiresAt }) => disabledAt === null && (expiresAt?.getTime() ?? Infinity) > now,
  )
  return [
    setting,
    ...(await openCollections(db).list()).map((one) => ({
      by: `the collection ${JSON.stringify(one.name)}`,
      sources: one.sources,
    })),
    ...keys.map(({ id, name, scope }) => ({
      by: `the key ${id}${name === "" ? "" : ` (${name})`}`,
      sources: scope.sources ?? [],
    })),
  ]
}
