import { environment, readSettings, SettingsError } from "#base/settings.ts"

import { apiSettings } from "../settings.ts"

/**
 * Where commands that ask a running appliance reach it, and with which key.
 * @param address of the appliance; default: what the settings say
 * @throws SettingsError
 */
export function applianceAddress(address: string | undefined): {
  readonly url: string
  readonly key: string
} {
  const { publicUrl, port, apiKey: key } = readSettings(apiSettings, environment())
  if (key === "") throw new SettingsError(["FOSSICK_API_KEY must hold a key of the appliance"])
  const given = address?.replace(/\/+$/, "")
  if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? "")) {
    throw new SettingsError(["--url must be an http or https address"])
  }
  return { url: given ?? (publicUrl || `http://localhost:${port}`), key }
}

/** What to do when it does not answer. */
export const unreachable = (url: string): string =>
  `The appliance at ${url} cannot be reached. Is it running?`
