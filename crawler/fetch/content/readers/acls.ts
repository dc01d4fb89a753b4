import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Stats } from "node:fs"
import { createInterface } from "node:readline"

/** An access control list: permissions by user or group number. The permissions of the owner and of others are in the mode. */
export interface Acl {
  readonly users: readonly (readonly [id: number, bits: number])[]
  readonly groups: readonly (readonly [id: number, bits: number])[]
  readonly owningGroup: number
  /** Mask that limits every entry except those for the owner and for others. */
  readonly mask: number
}

/** How far a file system's clock may lag behind: in practice a few milliseconds. */
const LAG_MS = 100

/** The access control lists of a folder and everything in it, as read by a single `getfacl` process. */
export class Acls {
  readonly #at: number
  readonly #lists: ReadonlyMap<string, Acl> | null

  private constructor(at: number, lists: ReadonlyMap<string, Acl> | null) {
    this.#at = at
    this.#lists = lists
  }

  /** @param root an absolute path */
  static async below(root: string): Promise<Acls> {
    const at = Date.now() - LAG_MS
    return new Acls(at, await read(["--recursive", "--", root]))
  }

  /** Access control lists that are read one at a time, only when they are needed. */
  static eachAlone(): Acls {
    return new Acls(-Infinity, new Map())
  }

  /** Whether lists could not be read, most likely because `getfacl` is not installed. */
  get isUnknown(): boolean {
    return this.#lists === null
  }

  /** @returns `none` if the file has just a mode and no list */
  async of(path: string, { ctimeMs }: Pick<Stats, "ctimeMs">): Promise<Acl | "none" | "unknown"> {
    if (this.#lists === null) return "unknown"
    if (ctimeMs < this.#at) return this.#lists.get(path) ?? "none"
    const newest = await read(["--", path])
    return newest === null ? "unknown" : (newest.get(path) ?? "none")
  }
}

const PLAIN = ["--absolute-names", "--numeric", "--no-effective", "--skip-base"]

/** @returns lists by path, or null when some could not be read */
async function read(what: readonly string[]): Promise<ReadonlyMap<string, Acl> | null> {
  const child = spawn("getfacl", [...PLAIN, ...what], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
  })
  const ended = once(child, "close").then(
    ([code]) => code === 0,
    () => false,
  )
  const lists = new Map<string, Acl>()
  let lines: string[] = []
  const add = () => {
    const list = aclIn(lines)
    if (list !== null) lists.set(...list)
    lines = []
  }
  for await (const line of createInterface({ input: child.stdout.setEncoding("latin1") })) {
    if (line === "") add()
    else lines.push(line)
  }
  add()
  return (await ended) ? lists : null
}

/** Parses the lines of one file; each character is a byte. */
function aclIn(lines: readonly string[]): readonly [path: string, Acl] | null {
  let path: string | null = null
  const users: [number, number][] = []
  const groups: [number, number][] = []
  let [owningGroup, mask] = [0, 7]
  for (const line of lines) {
    if (line.startsWith("# file: ")) path = unescaped(line.slice("# file: ".length))
    // Entries that begin with `default:` apply to files created later.
    const [, kind, id = "", bits = ""] = /^(user|group|mask):(\d*):([r-][w-][x-])/.exec(line) ?? []
    if (kind === "mask") mask = bitsOf(bits)
    else if (kind === "group" && id === "") owningGroup = bitsOf(bits)
    else if (kind !== undefined && id !== "")
      (kind === "user" ? users : groups).push([Number(id), bitsOf(bits)])
  }
  return path === null ? null : [path, { users, groups, owningGroup, mask }]
}

const bitsOf = (text: string): number =>
  (text.startsWith("r") ? 4 : 0) + (text[1] === "w" ? 2 : 0) + (text.endsWith("x") ? 1 : 0)

/** `getfacl` writes some bytes in octal, such as `\012`. */
const unescaped = (name: string): string =>
  Buffer.from(
    name.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
    "latin1",
  ).toString("utf8")
