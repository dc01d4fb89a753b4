import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** The files that list the machine's accounts. */
export const ACCOUNT_FILES = { user: "/etc/passwd", group: "/etc/group" } as const

const PREFIX = { user: "uid", group: "gid" } as const
const DATABASE = { user: "passwd", group: "group" } as const

/** The names of users and groups by number: from the machine's files first, then from the system's lookup, for example in LDAP. */
export class AccountNames {
  readonly #known = new Map<string, Promise<string>>()
  #files: Promise<ReadonlyMap<string, string>> | null = null

  /** @returns `uid-1234` or `gid-1234` if there is no such account */
  of(kind: "user" | "group", id: number): Promise<string> {
    const key = `${kind}:${id}`
    const known = this.#known.get(key) ?? this.#find(kind, id)
    this.#known.set(key, known)
    return known
  }

  async #find(kind: "user" | "group", id: number): Promise<string> {
    this.#files ??= namesInFiles()
    const name = (await this.#files).get(`${kind}:${id}`) ?? (await askSystem(kind, id))
    return name ?? `${PREFIX[kind]}-${id}`
  }
}

async function namesInFiles(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const kind of ["user", "group"] as const) {
    const text = await readFile(ACCOUNT_FILES[kind], "utf8").catch(() => "")
    for (const line of text.split("\n")) {
      const [name = "", , id = ""] = line.split(":")
      const key = `${kind}:${id}`
      // If a number has several names, the first one is used, as in the system's own lookup.
      if (name !== "" && /^\d+$/.test(id) && !names.has(key)) names.set(key, name)
    }
  }
  return names
}

async function askSystem(kind: "user" | "group", id: number): Promise<string | null> {
  try {
    const { stdout } = await run("getent", [DATABASE[kind], String(id)], { timeout: 5000 })
    return stdout.split(":", 1)[0] || null
  } catch {
    return null
  }
}
