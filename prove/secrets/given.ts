import { readFileSync } from "node:fs"

import { engineSettings } from "#engine/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import type { Settings } from "#base/settings.ts"

import { apiSettings } from "../../api/settings.ts"
import { x402Settings } from "../../api/doors/x402/settings.ts"
import type { Marks } from "./marks.ts"

type Variables = Readonly<Partial<Record<string, string>>>

const PARTS: readonly Settings[] = [apiSettings, x402Settings, crawlerSettings, engineSettings]

/** Settings that contain a secret, or might. */
export const SECRET_SETTINGS: readonly string[] = PARTS.flatMap((part) =>
  Object.values(part).flatMap(({ name, secret = false }) => (secret ? [name] : [])),
)

/** Settings that name a file containing a secret that another setting can contain directly. */
export const FILE_SETTINGS: readonly string[] = PARTS.flatMap((part) => Object.values(part))
  .map(({ name }) => name)
  .filter((name) => SECRET_SETTINGS.includes(name.replace(/_FILE$/, "")))
  .filter((name) => name.endsWith("_FILE"))

/** Settings with a secret that can be recognised: given directly, in an address, by the name of a variable or in a file. */
export function given(variables: Variables, marks: Marks): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) => {
    if (!/^(?:FOSSICK|X402)_/.test(name)) return []
    const [, variable] = /^\$\{(\w+)\}$/.exec(value) ?? []
    const file = value.startsWith("file:") ? value.slice(5) : name.endsWith("_FILE") ? value : ""
    const said = variable === undefined ? value : (variables[variable] ?? "")
    const held = file === "" ? said : readFileSync(file, "utf8")
    return marks.in(Buffer.from(held)).length > 0 ? [name] : []
  })
}
