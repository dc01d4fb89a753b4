import { trustAuthorities } from "#base/process/authorities.ts"
import { checkSettings, environment, readSettings } from "#base/settings.ts"
import { crawlerSettings, readOnlyNotice } from "#crawler/settings.ts"
import { engineSettings } from "#engine/settings.ts"

import { apiSettings, checkTogether } from "../../settings.ts"
import { sellingOf, x402Settings } from "../../doors/x402/settings.ts"

export type ProcessSettings = ReturnType<typeof readAllSettings>

/** The settings of the process, and the values derived from them. @throws SettingsError */
export function readAllSettings() {
  const env = environment()
  trustAuthorities(env)
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], env)
  const config = readSettings(apiSettings, env)
  checkTogether(config)
  const selling = sellingOf(readSettings(x402Settings, env), config.port)
  const engineConfig = readSettings(engineSettings, env)
  const crawlerConfig = readSettings(crawlerSettings, env)
  /** The notice of a read-only appliance; null if it isn't read-only. */
  const readOnly = readOnlyNotice(crawlerConfig.readOnly)
  return { env, config, selling, engineConfig, crawlerConfig, readOnly }
}
