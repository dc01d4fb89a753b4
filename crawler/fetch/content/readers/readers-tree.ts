import { EVERYBODY, narrowedBy, type Readers } from "#engine/index/page/readers.ts"
import type { ReadersFile } from "./readers-file.ts"

/** Who may read files, according to the readers files in the folders above them. Paths of folders use slashes; the root's path is empty. */
export class ReadersTree {
  readonly #files: ReadonlyMap<string, ReadersFile>

  constructor(files: ReadonlyMap<string, ReadersFile>) {
    this.#files = files
  }

  of(path: string): Readers {
    if (this.#files.size === 0) return EVERYBODY
    const names = path.split("/")
    let readers = EVERYBODY
    for (let depth = 0; depth < names.length; depth++) {
      const own = this.#files.get(names.slice(0, depth).join("/"))
      if (own === undefined) continue
      readers = narrowedBy(readers, own.below)
      if (depth === names.length - 1) readers = narrowedBy(readers, own.files.get(names[depth]!) ?? EVERYBODY)
    }
    return readers
  }
}
