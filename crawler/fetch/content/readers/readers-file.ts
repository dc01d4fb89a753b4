import { EVERYBODY, NOBODY, principalOf, type Readers, readersOf } from "#engine/index/page/readers.ts"

/** Name of the file in a folder that says who may read the folder's contents. */
export const READERS_FILE = ".fossick-readers.yaml"

/** The contents of a readers file. */
export interface ReadersFile {
  /** Who may read the files in the folder and in folders below it. */
  readonly below: Readers
  /** Who may read individual files of the folder, by file name; they must be among the readers in `below`. */
  readonly files: ReadonlyMap<string, Readers>
  /** Why the file hides everything below it, for the operator; `null` if the file is understood. */
  readonly problem: string | null
}

/** The value for a folder without a readers file. */
export const NO_READERS_FILE: ReadersFile = { below: EVERYBODY, files: new Map(), problem: null }

export const unreadReaders = (problem: string): ReadersFile => ({
  below: NOBODY,
  files: new Map(),
  problem,
})

/** Size limit of a readers file. */
export const MOST_BYTES = 1_000_000

/** Parses a readers file. If it can't be understood, or is empty because a program is still writing it, no one may read anything below it. */
export async function readReadersFile(bytes: Uint8Array): Promise<ReadersFile> {
  try {
    // Loaded only when needed, because most folders have no readers file.
    const { parse } = await import("yaml")
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    const { files = {}, ...below } = groupIn(parse(text, { maxAliasCount: 0 }), "the file")
    const named = Object.entries(groupIn(files, "files"))
    return {
      below: writtenReaders(below, "the file"),
      files: new Map(
        named.map(([name, one]) => {
          const place = `files.${name}`
          return [name, writtenReaders(groupIn(one, place), place)] as const
        }),
      ),
      problem: null,
    }
  } catch (error) {
    return unreadReaders((error as Error).message.split("\n", 1)[0]!)
  }
}

/** Maximum length of one list. */
const MOST_PRINCIPALS = 1000

type Group = Readonly<Record<string, unknown>>

function groupIn(value: unknown, place: string): Group {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${place} must have a field allow, deny or files`)
  return value as Group
}

function writtenReaders({ allow, deny, ...others }: Group, place: string): Readers {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`${unknown} isn't a field of ${place}`)
  return readersOf({
    ...(allow !== undefined && { allow: principalsIn(allow, "allow") }),
    ...(deny !== undefined && { deny: principalsIn(deny, "deny") }),
  })
}

function principalsIn(value: unknown, field: string): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > MOST_PRINCIPALS) throw new Error(`${field} has more than ${MOST_PRINCIPALS} entries`)
  return list.map((one) => {
    if (typeof one !== "string" || principalOf(one) === null)
      throw new Error(`${field} must contain user:NAME, group:NAME or signed-in, not ${JSON.stringify(one)}`)
    return one
  })
}
