import { readdir } from "node:fs/promises"
import path from "node:path"

/**
 * Tracks which of the tables' indices were replaced since they were first seen. LanceDB keeps the data read from
 * replaced indices, and keeps their deleted files open, until its cache is full, which takes gigabytes and a thousand
 * files.
 */
export class LeftIndices {
  readonly #dir: string
  readonly #known = new Set<string>()

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Number of indices seen earlier that are now gone. */
  async count(tables: readonly string[]): Promise<number> {
    const there = new Set((await Promise.all(tables.map((table) => this.#of(table)))).flat())
    for (const one of there) this.#known.add(one)
    return this.#known.size - there.size
  }

  async #of(table: string): Promise<string[]> {
    const names = await readdir(path.join(this.#dir, `${table}.lance`, "_indices")).catch(() => [])
    return names.map((name) => `${table}/${name}`)
  }
}
