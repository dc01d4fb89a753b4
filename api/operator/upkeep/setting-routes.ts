import type { Router } from "@koa/router"

import { environment, originOf, readSettings, type Setting, type Settings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { engineSettings } from "#engine/settings.ts"

import type { RequestState } from "../../context.ts"
import { sellingOf, x402Settings } from "../../doors/x402/settings.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { upkeepOperations } from "./operations.ts"

/** The declared settings of the API, including those of its features. */
export type ApiSettings = Settings & { readonly port: Setting<number> }

/** Every setting, with the source of its value: `/admin/settings`. Shows the settings as they were when the routes were created. */
export function settingRoutes(router: Router<RequestState>, apiSettings: ApiSettings): void {
  const env = environment()
  const parts: readonly (readonly [Part, Settings])[] = [
    ["api", apiSettings],
    ["crawler", crawlerSettings],
    ["engine", engineSettings],
    ["payments", x402Settings],
  ]
  const shown = parts.flatMap(([part, settings]) =>
    Object.values(settings).map((setting) => settingOnWire(part, setting, env)),
  )
  const { port } = readSettings({ port: apiSettings.port }, env)
  const selling = sellingOf(readSettings(x402Settings, env), port)

  serve(router, upkeepOperations.settings, () => ({
    settings: shown,
    selling: { on: selling.on, missing: selling.on ? [] : selling.missing },
  }))
}

type Part = "api" | "crawler" | "engine" | "payments"

function settingOnWire(part: Part, setting: Setting<unknown>, env: NodeJS.ProcessEnv) {
  const { name, about, secret = false } = setting
  const from = originOf(setting)
  return {
    name,
    part,
    about,
    secret,
    from,
    value: secret ? null : env[name] || setting.default,
    default: setting.default,
  }
}
