import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

/** The programs that the unit starts: Node, and the script it runs. */
export interface Programs {
  readonly node: string
  readonly fossick: string
}

/** The unit for an installation. In systemd `%` begins a specifier, and a space ends a word (systemd.service(5)). */
export function unitFor({ node, fossick }: Programs): string {
  const word = (path: string) =>
    `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`
  return file("./fossick.service").replace(
    /^ExecStart=.*$/m,
    () => `ExecStart=${word(node)} ${word(fossick)} start`,
  )
}

/** The initial settings, with a new key. */
export const firstSettings = (): string =>
  file("./settings.env").replace(
    /^FOSSICK_API_KEY=$/m,
    `FOSSICK_API_KEY=fsk-${randomBytes(32).toString("base64url")}`,
  )

export const firstSources = (): string => file("./sources.yaml")
