import { isText, LEFT_OUT } from "../file-names.ts"
import { Troubles } from "../troubles.ts"
import { MAX_NAME_CHARS } from "./bounds.ts"

/** The key of an entry, or why it has no key. `trouble` is empty for entries that need no note. */
export type EntryName = { readonly key: string } | { readonly trouble: string }

/** The key of an entry with this name. Names aren't trusted: they may lead out of the archive, or not be valid paths. */
export function entryName(written: string): EntryName {
  if (!isText(written) || written.includes("\0"))
    return { trouble: `${shown(written)} (its name isn't UTF-8)` }
  if (written.length > MAX_NAME_CHARS) return { trouble: `${shown(written)} (its name is too long)` }
  if (/^(?:\/|[a-z]:[/\\])/i.test(written)) return { trouble: `${shown(written)} (its path is absolute)` }
  const names = written.split("/").filter((name) => name !== "" && name !== ".")
  if (names.includes("..")) return { trouble: `${shown(written)} (its path leads out of the archive)` }
  if (names.length === 0 || names.some((name) => LEFT_OUT.test(name))) return { trouble: "" }
  return { key: names.join("/") }
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100)).slice(1, -1)

/** Collects the entries that were left out of an index, for its note. */
export class LeftOut {
  readonly #troubles = new Troubles()

  add(trouble: string): void {
    if (trouble !== "") this.#troubles.add(trouble)
  }

  get notes(): string[] {
    return this.#troubles.isEmpty ? [] : [`left out: ${this.#troubles.toString()}`]
  }
}
