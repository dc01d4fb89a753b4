import { createHash } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { makeFolder } from "#base/folder.ts"

/** Facts about a model on a server, stored so that they are known while the server is unavailable and the model is recognized when it comes back. */
export interface KnownModel {
  readonly model: string
  readonly dimensions: number
  /** The vector of the text that every process embeds first; null until the server has returned one. */
  readonly probe: readonly number[] | null
}

/** One file for each model, in `models/` in the data folder. */
export class KnownModelFile {
  readonly #file: string
  readonly #model: string
  readonly #wanted: number

  /** @param wanted dimensions set by the operator; 0 to use the server's own */
  constructor(dataDir: string, model: string, wanted: number) {
    const name = createHash("sha256").update(model).digest("hex").slice(0, 16)
    this.#file = path.join(dataDir, "models", `server-${name}.json`)
    this.#model = model
    this.#wanted = wanted
  }

  /** Returns null if nothing is stored or the file can't be read. */
  async read(): Promise<KnownModel | null> {
    try {
      const { model, dimensions, probe } = JSON.parse(await readFile(this.#file, "utf8")) as KnownModel
      const isSound = model === this.#model && Array.isArray(probe) && probe.length === dimensions
      const isWanted = dimensions > 0 && (this.#wanted === 0 || this.#wanted === dimensions)
      if (isSound && isWanted) return { model, dimensions, probe }
    } catch {
      // Nothing is lost: the server is asked again.
    }
    return this.#wanted > 0 ? { model: this.#model, dimensions: this.#wanted, probe: null } : null
  }

  /** Stores the facts if the disk allows it; otherwise, the server can be asked again. */
  async write(known: KnownModel): Promise<void> {
    const arriving = `${this.#file}.${process.pid}.part`
    try {
      makeFolder(path.dirname(this.#file))
      await writeFile(arriving, `${JSON.stringify(known)}\n`)
      await rename(arriving, this.#file)
    } catch {
      await rm(arriving, { force: true }).catch(() => undefined)
    }
  }
}
