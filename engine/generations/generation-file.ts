import { mkdir, open, readFile, rename } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { EngineError } from "../errors.ts"

export const FIRST_GENERATION = "index"
const BUSY_MS = 10_000

/** Which generations of an index there are. */
export interface Generations {
  /** The one that is searched and crawled into. */
  readonly current: string
  /** The one before, kept for a rollback. */
  readonly previous: { readonly name: string; readonly replacedAt: string } | null
  /** The one that is to replace the current one, and what it is made for. */
  readonly building: BuildTarget | null
  /** No longer wanted, and perhaps not deleted yet. */
  readonly dropping: readonly string[]
  /** What a rollback went back from: not built again until somebody asks for it. */
  readonly declined: Target | null
  /** By embedder id: where its model was read from, as FOSSICK_MODEL said it. */
  readonly models: Readonly<Record<string, string>>
}

export interface Target {
  readonly format: number
  readonly embedder: string
}

export interface BuildTarget extends Target {
  readonly name: string
}

const NONE: Generations = {
  current: FIRST_GENERATION,
  previous: null,
  building: null,
  dropping: [],
  declined: null,
  models: {},
}

/**
 * The file that names the generations. Without it there is one, `index`.
 *
 * Which one is the current one is changed only by whoever may write to the current one; who has opened a generation for
 * writing and then finds it named as the current one knows that it stays so.
 */
export class GenerationFile {
  readonly path: string

  /** @param adapter each adapter has generations of its own. */
  constructor(dataDir: string, adapter: string) {
    this.path = path.join(dataDir, "generations", `${adapter}.json`)
  }

  /** @throws EngineError `ENGINE_UNAVAILABLE` */
  async read(): Promise<Generations> {
    let text
    try {
      text = await readFile(this.path, "utf8")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return NONE
      throw this.#unreadable(error)
    }
    let read: Partial<Generations> | null
    try {
      read = JSON.parse(text) as Partial<Generations> | null
    } catch (error) {
      throw this.#unreadable(error)
    }
    const names = [read?.current, read?.previous?.name, read?.building?.name, ...(read?.dropping ?? [])]
    const isSound = read?.current !== undefined && names.every((name) => name === undefined || isName(name))
    if (!isSound) throw this.#unreadable(undefined)
    return { ...NONE, ...read }
  }

  /** Readers see the old state or the new one, never a part; when it resolves, the new one outlives a loss of power. */
  async change(how: (now: Generations) => Partial<Generations>): Promise<void> {
    await mkdir(path.dirname(this.path), { recursive: true })
    using _ = this.#lock()
    const now = await this.read()
    const next = { ...now, ...how(now) }
    const temporary = `${this.path}.new`
    const file = await open(temporary, "w")
    try {
      await file.writeFile(`${JSON.stringify(next, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, this.path)
  }

  /** One change at a time, of all processes; the operating system frees it when a process ends, however it ends. */
  #lock(): Disposable {
    const db = new DatabaseSync(`${this.path}.lock`, { timeout: BUSY_MS })
    try {
      db.exec("begin exclusive")
    } catch (error) {
      db.close()
      throw error
    }
    return { [Symbol.dispose]: () => db.close() }
  }

  #unreadable(cause: unknown): EngineError {
    return new EngineError(
      "ENGINE_UNAVAILABLE",
      `Cannot read ${this.path}, which names the index in use. Restore it from a backup, or write {"current": "index-2"} into it, with the name of the index that is to be used.`,
      { cause },
    )
  }
}

const isName = (name: unknown): boolean => typeof name === "string" && /^index(-[1-9]\d*)?$/.test(name)

/** A name that no generation has. */
export function nextName({ current, previous, building, dropping }: Generations): string {
  const names = [current, previous?.name, building?.name, ...dropping]
  const numbers = names.map((name) => (name === undefined ? 0 : Number(name.split("-")[1] ?? 1)))
  return `${FIRST_GENERATION}-${Math.max(...numbers) + 1}`
}
