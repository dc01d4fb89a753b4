import { readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import path from "node:path"
import { makeFolder } from "#base/folder.ts"
import { EngineError, REPAIR_HINT } from "../../errors.ts"
import { lockFile } from "#base/store/lock-file.ts"
import { type ModelChoice, NO_CHOICE } from "./model-choice.ts"
import { type FileDamage, type Twins, readTwins, writeTwins } from "#base/store/sealed-json.ts"

export const FIRST_GENERATION = "index"
const BUSY_MS = 10_000

/** The generations of an index. */
export interface Generations {
  /** The generation that is searched and crawled into. */
  readonly current: string
  /** The previous generation, kept for a rollback. */
  readonly previous: PreviousGeneration | null
  /** The generation that will replace the current one, and the target it is built for. */
  readonly building: BuildTarget | null
  /** Generations that are no longer wanted, but may not have been deleted yet. */
  readonly dropping: readonly string[]
  /** The target that was abandoned by a rollback: not built again until an operator asks for it. */
  readonly declined: Target | null
  /** Where the model of each embedder was read from, by embedder id, as written in FOSSICK_MODEL. */
  readonly models: Readonly<Record<string, string>>
  readonly choice: ModelChoice
}

export interface PreviousGeneration {
  readonly name: string
  readonly replacedAt: string
  /** Whether the generation was replaced because it is damaged: it cannot become current again, and is deleted as soon as readers have closed it. */
  readonly isDamaged?: boolean
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
  choice: NO_CHOICE,
}

/**
 * The file that names the generations. Without it there is only one, `index`.
 *
 * Only a process that may write to the current generation can make another one current. So if a process has opened a
 * generation for writing and then finds it named as the current one, the generation is certain to stay current.
 */
export class GenerationFile {
  readonly path: string
  /** The folder that contains the generations; `null` if a server stores them. */
  readonly #dataDir: string | null

  /** @param adapter each adapter has its own generations. */
  constructor(dataDir: string, adapter: string) {
    this.#dataDir = adapter === "embedded" ? dataDir : null
    this.path = pathOf(dataDir, adapter)
  }

  /**
   * The content of the file, or of its copy if the file is missing or damaged.
   *
   * @throws EngineError `INDEX_DAMAGED` when neither can be read although the file exists or has existed
   */
  async read(): Promise<Generations> {
    const { value, damaged } = await this.#twins()
    if (value) return { ...NONE, ...value }
    if (damaged.length > 0 || (await this.isLost())) throw this.#unreadable()
    return NONE
  }

  /** Damage to the file and its copy. */
  async damage(): Promise<readonly FileDamage[]> {
    const { value, damaged } = await this.#twins()
    if (value || damaged.length > 0 || !(await this.isLost())) return damaged
    return [{ path: this.path, damage: "is missing" }]
  }

  /** Rewrites both files with the given content, or with the content that can still be read. */
  async mend(said?: Partial<Generations>): Promise<void> {
    makeFolder(path.dirname(this.path))
    using _ = lockFile(`${this.path}.lock`, BUSY_MS)
    await writeTwins(this.path, { ...(said ? NONE : await this.read()), ...said })
  }

  /** Whether there are generations whose names can only have come from a file. */
  async isLost(): Promise<boolean> {
    if (this.#dataDir === null) return false
    const names = await readdir(this.#dataDir).catch(() => [])
    return names.some((name) => isName(name) && name !== FIRST_GENERATION)
  }

  #twins(): Promise<Twins<Generations>> {
    return readTwins<Generations>(this.path, (read) => {
      const names = [read.current, read.previous?.name, read.building?.name, ...(read.dropping ?? [])]
      return read.current !== undefined && names.every((name) => name === undefined || isName(name))
    })
  }

  /** Readers see either the old state or the new one, never a partial one; when it resolves, the new one survives a power failure. */
  async change(how: (now: Generations) => Partial<Generations>): Promise<void> {
    makeFolder(path.dirname(this.path))
    using _ = lockFile(`${this.path}.lock`, BUSY_MS)
    const now = await this.read()
    const next = { ...now, ...how(now) }
    await writeTwins(this.path, next)
  }

  #unreadable(): EngineError {
    const file = `generations/${path.basename(this.path)}`
    return new EngineError(
      "INDEX_DAMAGED",
      `${file} in the data folder, which names the index in use, and its copy cannot be read. ${REPAIR_HINT} Or restore it from a backup, or write {"current": "index-2"} into it, with the name of the index to use.`,
    )
  }
}

/** The model that an operator asked for, as in {@link ModelChoice}: a quick check for code that only waits for a change. */
export function wantedModel(dataDir: string, adapter: string): string {
  try {
    const said = JSON.parse(readFileSync(pathOf(dataDir, adapter), "utf8")) as Partial<Generations>
    return said.choice?.wanted ?? NO_CHOICE.wanted
  } catch {
    return NO_CHOICE.wanted
  }
}

const pathOf = (dataDir: string, adapter: string) => path.join(dataDir, "generations", `${adapter}.json`)

const isName = (name: unknown): boolean => typeof name === "string" && /^index(-[1-9]\d*)?$/.test(name)

/** A name that no generation has. */
export function nextName({ current, previous, building, dropping }: Generations): string {
  const names = [current, previous?.name, building?.name, ...dropping]
  const numbers = names.map((name) => (name === undefined ? 0 : Number(name.split("-")[1] ?? 1)))
  return `${FIRST_GENERATION}-${Math.max(...numbers) + 1}`
}
