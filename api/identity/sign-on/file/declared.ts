import { SettingsError } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { PersonKeys } from "../../people/person-keys.ts"
import { PersonStore } from "../../people/person-store.ts"
import { readSignOn, type SignOnSpec } from "./sign-on-file.ts"

/** The people of an appliance, and the sign-on file's settings for them. */
export interface People {
  readonly people: PersonStore
  /** The people as keys; null if no provider signs people in, in which case people stored in the state are not keys. */
  readonly declared: { readonly spec: SignOnSpec; readonly keys: PersonKeys } | null
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** How long a provider's facts are valid. */
export const limitsOf = ({ refreshMinutes, unrenewedHours }: SignOnSpec) => ({
  refreshMs: refreshMinutes * MINUTE_MS,
  unrenewedMs: unrenewedHours * HOUR_MS,
})

/**
 * @param config null if no provider has to be contacted
 * @throws SettingsError
 */
export function openPeople(
  db: StateStore,
  config: { readonly signOnFile: string; readonly publicUrl: string } | null,
  env: NodeJS.ProcessEnv,
): People {
  const people = new PersonStore(db)
  const spec = config && readSignOn(config.signOnFile, env)
  if (spec === null) return { people, declared: null }
  // Providers send people back only to addresses that were registered with them.
  if (config?.publicUrl === "")
    throw new SettingsError(["FOSSICK_PUBLIC_URL must be set if FOSSICK_SIGN_ON_FILE declares providers"])
  return { people, declared: { spec, keys: personKeysOf(spec, people) } }
}

/** Treats people as keys, according to the file's rules. */
export function personKeysOf(spec: SignOnSpec, people: PersonStore): PersonKeys {
  const providers = spec.providers.map(({ name }) => name)
  return new PersonKeys(people, { ...limitsOf(spec), roles: spec.roles, providers })
}
