import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { environment, readSettings, type Setting } from "../../settings.ts"
import { resolveSecret } from "../../secret.ts"

/** Where a state is kept. */
export interface ServerLocation {
  /** `postgres://user@host:port/database`, with or without a password; may contain a secret. */
  readonly url: string
  readonly password: string
  readonly schema: string
}

/** The schema used if the address names none. */
const SCHEMA = "fossick"
/** Stands for a separate schema for each data folder, so that many appliances or tests can share one database. */
const OF_FOLDER = "folder"

/** Where the state is kept. */
export const stateSettings = {
  state: {
    name: "FOSSICK_STATE",
    default: "",
    about:
      "Where keys, sources, jobs and usage are kept: empty for `state.db` in the data folder, or `postgres://user@host/database` ([Use PostgreSQL](use-postgresql.md)).",
    // An invalid address might contain a password, so it is not shown; for a valid one, only the host is shown.
    secret: true,
    parse(value) {
      if (value === "") return value
      const url = URL.parse(value)
      if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol))
        throw new Error("must be empty or an address such as postgres://user@host/database")
      if (url.password !== "")
        throw new Error("must not contain a password; set it in FOSSICK_STATE_PASSWORD")
      if (!/^[a-z_][a-z0-9_]{0,40}$/.test(url.searchParams.get("schema") ?? SCHEMA))
        throw new Error("must name a schema of at most 41 lowercase letters, digits and _")
      return value
    },
  },
  statePassword: {
    name: "FOSSICK_STATE_PASSWORD",
    default: "",
    about: "Password of the user in FOSSICK_STATE; `file:/path` reads it from a file.",
    secret: true,
    parse: (value) => value,
  },
} as const satisfies Record<string, Setting<string>>

/** The server that holds the state of a data folder; `null` if the state is in the folder itself. */
export function stateServer(dataDir: string, env = environment()): ServerLocation | null {
  const { state, statePassword } = readSettings(stateSettings, env)
  return state === "" ? null : serverLocation(state, statePassword, dataDir, env)
}

/** @param state a non-empty value of FOSSICK_STATE */
export function serverLocation(
  state: string,
  password: string,
  dataDir: string,
  env: NodeJS.ProcessEnv,
): ServerLocation {
  const url = new URL(state)
  const named = url.searchParams.get("schema") ?? SCHEMA
  url.searchParams.delete("schema")
  return {
    url: url.href,
    password: resolveSecret(password, env, "the environment"),
    schema: named === OF_FOLDER ? `folder_${digest(resolve(dataDir))}` : named,
  }
}

/** pg prefers the address's password, even a missing one, to a password that is passed separately. */
export function withPassword({ url, password }: ServerLocation): string {
  const address = new URL(url)
  address.password = encodeURIComponent(password)
  return address.href
}

/** Makes one object for all stores in this thread whose state is in the same place. */
export function sharedBy<T>(make: () => T): (location: ServerLocation) => T {
  const made = new Map<string, T>()
  return (location) => {
    const place = `${withPassword(location)} ${location.schema}`
    let shared = made.get(place)
    if (shared === undefined) made.set(place, (shared = make()))
    return shared
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 20)
