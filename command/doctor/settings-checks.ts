import { crawlerSettings } from "#crawler/settings.ts"
import { sourcesFile } from "#crawler/sources/file/find-file.ts"
import { readSourcesFile } from "#crawler/sources/file/sources-file.ts"
import { checkModelServers } from "#engine/models/servers/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { checkSettings, environment, readSettings, SettingsError, type Values } from "#base/settings.ts"
import { apiSettings, checkTogether } from "../../api/settings.ts"
import { sellingOf, x402Settings } from "../../api/doors/x402/settings.ts"
import { type Check, type Found, wrong } from "./check.ts"

const ALL = { ...engineSettings, ...crawlerSettings, ...apiSettings }

export type DoctorSettings = Values<typeof ALL>

/** The settings, with wrong ones replaced by their defaults, so that the rest can be checked. */
export function readableSettings(): DoctorSettings {
  let env: NodeJS.ProcessEnv
  try {
    env = environment()
  } catch {
    env = process.env
  }
  return Object.fromEntries(
    Object.entries(ALL).map(([key, setting]) => {
      try {
        return [key, setting.parse(env[setting.name] || setting.default)]
      } catch {
        return [key, setting.parse(setting.default)]
      }
    }),
  ) as DoctorSettings
}

/** Finds settings that are unknown, wrong, or contradict each other, including networks and addresses. */
export const settingsCheck: Check = {
  name: "settings",
  run() {
    const looks = [
      () => environment(),
      () => checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], environment()),
      () => checkTogether(readSettings(apiSettings, environment())),
      () => checkModelServers(readSettings(engineSettings, environment())),
      () =>
        sellingOf(readSettings(x402Settings, environment()), readSettings(apiSettings, environment()).port),
    ]
    const problems = new Set(looks.flatMap(problemsOf))
    return [...problems].map((problem) =>
      wrong(problem, "Change it in the environment or in fossick.env; docs/settings.md lists all settings."),
    )
  },
}

function problemsOf(look: () => unknown): string[] {
  try {
    look()
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^ *- /, ""))
  }
}

/** Checks the sources file. An appliance does not start if the file is invalid. */
export const sourcesCheck = ({ sourcesFile: named }: DoctorSettings): Check => ({
  name: "sources file",
  run(): Found {
    const file = sourcesFile(named)
    if (file === null) return []
    try {
      readSourcesFile(file)
      return []
    } catch (error) {
      return wrong((error as Error).message, "Correct the file; docs/sources.md lists every field.")
    }
  },
})
