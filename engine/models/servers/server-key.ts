import { resolveSecret } from "#base/secret.ts"
import { environment, SettingsError } from "#base/settings.ts"

/**
 * Returns the key that a setting's value refers to; empty if there is none.
 *
 * @param name name of the setting
 * @throws SettingsError naming the setting, never the key
 */
export function serverKey(name: string, reference: string): string {
  if (reference === "") return ""
  let key
  try {
    key = resolveSecret(reference, environment(), "the environment")
  } catch (error) {
    throw new SettingsError([`${name}: ${(error as Error).message}`])
  }
  if (/[^\x21-\x7e]/.test(key)) throw new SettingsError([`${name} must be printable ASCII without spaces`])
  return key
}
