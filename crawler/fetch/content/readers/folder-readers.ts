import type { Stats } from "node:fs"
import { lstat, open, stat } from "node:fs/promises"
import { join } from "node:path"
import { EVERYBODY, narrowedBy, NOBODY, type Readers } from "#engine/index/page/readers.ts"
import { codeOf } from "../../network-error.ts"
import { OPEN_UNLINKED } from "../read-file.ts"
import { AccountNames } from "./account-names.ts"
import { Acls } from "./acls.ts"
import { READ, REACH, readersByMode } from "./modes.ts"
import {
  MOST_BYTES,
  NO_READERS_FILE,
  READERS_FILE,
  readReadersFile,
  type ReadersFile,
  unreadReaders,
} from "./readers-file.ts"

export interface FolderReadersOptions {
  /** Whether modes and access control lists are taken into account. */
  readonly byModes: boolean
  /** Called with notes for the operator, such as a readers file that isn't understood. */
  readonly onTrouble: (note: string) => void
}

/** Determines who may read the files of a folder while walking it. Each folder in a path is checked once. */
export class FolderReaders {
  readonly #root: string
  readonly #acls: Acls | null
  readonly #names = new AccountNames()
  readonly #onTrouble: FolderReadersOptions["onTrouble"]
  readonly #folders = new Map<string, Promise<ReadersFile>>()

  private constructor(root: string, acls: Acls | null, onTrouble: FolderReadersOptions["onTrouble"]) {
    this.#root = root
    this.#acls = acls
    this.#onTrouble = onTrouble
  }

  /** Creates the readers for a walk. @param root an absolute path */
  static async ofWalk(root: string, { byModes, onTrouble }: FolderReadersOptions): Promise<FolderReaders> {
    const acls = byModes ? await Acls.below(root) : null
    if (acls?.isUnknown === true)
      onTrouble("access control lists (is getfacl installed?); only the owners can read these files")
    return new FolderReaders(root, acls, onTrouble)
  }

  /** Creates the readers for some files, without a walk. */
  static ofFiles(root: string, { byModes, onTrouble }: FolderReadersOptions): FolderReaders {
    return new FolderReaders(root, byModes ? Acls.eachAlone() : null, onTrouble)
  }

  /** @param path the names of the folders in a file's path, followed by the file's own name */
  async of(path: readonly string[], stats: Stats): Promise<Readers> {
    const { below, files } = await this.#folder(path.slice(0, -1))
    const named = narrowedBy(below, files.get(path.at(-1)!) ?? EVERYBODY)
    return narrowedBy(named, await this.#byMode(path, stats, READ))
  }

  /** The readers named by a folder and all folders above it. */
  #folder(path: readonly string[]): Promise<ReadersFile> {
    const key = path.join("/")
    const known = this.#folders.get(key) ?? this.#look(path)
    this.#folders.set(key, known)
    return known
  }

  async #look(path: readonly string[]): Promise<ReadersFile> {
    const around = path.length === 0 ? EVERYBODY : (await this.#folder(path.slice(0, -1))).below
    const own = await this.#readersFile(path)
    if (own.problem !== null) this.#onTrouble(`${[...path, READERS_FILE].join("/")} (${own.problem})`)
    const byMode = this.#acls && (await this.#modeOfFolder(path))
    return { ...own, below: narrowedBy(narrowedBy(around, own.below), byMode ?? EVERYBODY) }
  }

  async #readersFile(path: readonly string[]): Promise<ReadersFile> {
    try {
      await using file = await open(join(this.#root, ...path, READERS_FILE), OPEN_UNLINKED)
      const stats = await file.stat()
      if (!stats.isFile()) return unreadReaders("it isn't a regular file")
      if (stats.size > MOST_BYTES) return unreadReaders(`it has more than ${MOST_BYTES} bytes`)
      return await readReadersFile(await file.readFile())
    } catch (error) {
      const code = codeOf(error as Error)
      return code === "ENOENT" ? NO_READERS_FILE : unreadReaders(`it cannot be read, ${code}`)
    }
  }

  async #modeOfFolder(path: readonly string[]): Promise<Readers> {
    try {
      // The root may be a link, but no folder below it is one.
      const look = path.length === 0 ? stat : lstat
      return await this.#byMode(path, await look(join(this.#root, ...path)), REACH)
    } catch {
      return NOBODY
    }
  }

  async #byMode(path: readonly string[], stats: Stats, need: typeof READ | typeof REACH): Promise<Readers> {
    if (this.#acls === null) return EVERYBODY
    const acl = await this.#acls.of(join(this.#root, ...path), stats)
    return await readersByMode(stats, acl, need, this.#names)
  }
}
