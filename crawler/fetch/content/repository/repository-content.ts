import { createHash } from "node:crypto"
import { join } from "node:path"
import { KnownError } from "#base/errors.ts"
import type { PageUrl } from "#engine/index/page/page-url.ts"
import type { Repository } from "../../../source.ts"
import type { FetchResult } from "../../fetch.ts"
import { addressBelow, namesBelow } from "../addresses-below.ts"
import type {
  Content,
  ContentEntry,
  ContentListOptions,
  ContentLoadOptions,
  ContentReach,
} from "../content.ts"
import { isText } from "../file-names.ts"
import { typeByEnding } from "../file-type.ts"
import { MOST_BYTES, readReadersFile, type ReadersFile, unreadReaders } from "../readers/readers-file.ts"
import { labelOf } from "../readers/label-of.ts"
import { ReadersTree } from "../readers/readers-tree.ts"
import { failed, gone, tooLarge } from "../results.ts"
import { Troubles } from "../troubles.ts"
import { Blobs } from "./blobs.ts"
import { marksAt } from "./forges.ts"
import { headOf, isReadersFile, readHead, readTable, type RepositoryFile, writeTable } from "./file-table.ts"
import { requireGit } from "./git.ts"
import { commitInFolder, isLocal, type Mirror } from "./mirror.ts"

/** Maximum number of seconds by which the time of a file's commit is shifted, depending on its blob. */
const TIME_OFF = 2 ** 20 / 1000
/** The beginning of the file that Git LFS commits in place of a large one (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
const LFS = "version https://git-lfs.github.com/spec/v1\n"
const MAX_LFS_BYTES = 1024

/** The files of a Git repository, as pages below an address. */
export class RepositoryContent implements Content {
  readonly noun = "file"
  readonly place: string
  readonly #repository: Repository
  readonly #address: string
  /** `null` if there is no data folder to store it in. */
  readonly #mirror: Mirror | null
  readonly #blobs: Blobs | null
  /** The files found by the last call of `list`. Before the first call, pages are looked up in the table. */
  #listed: Map<string, RepositoryFile> | null = null
  /** The readers found by the last call of `list`. */
  #readers: ReadersTree | null = null
  /** The table in which pages were last looked up. */
  #looked: {
    readonly commit: string
    files: Map<string, RepositoryFile> | null
    readers: ReadersTree | null
  } | null = null

  /** @param address ends with `/` */
  constructor(repository: Repository, address: string, mirror: Mirror | null) {
    const { url, ref } = repository
    this.place = ref === null ? url : `${url} (${ref})`
    this.#repository = repository
    this.#address = address
    this.#mirror = mirror
    this.#blobs = mirror && new Blobs(mirror.git)
  }

  async check(): Promise<void> {
    await requireGit()
    if (isLocal(this.#repository)) await commitInFolder(this.#repository)
  }

  async open({ guard, signal }: ContentReach): Promise<void> {
    const mirror = this.#needed()
    await mirror.locked(async () => {
      try {
        await this.#update(mirror, { guard, signal })
      } catch (error) {
        if (error instanceof KnownError || signal?.aborted === true) throw error
        // A disk error or a killed process damaged the mirror. Everything in it can be fetched again.
        await mirror.clear()
        await this.#update(mirror, { guard, signal })
      }
    }, signal)
    this.#listed = null
  }

  async #update(mirror: Mirror, { guard, signal }: ContentReach): Promise<void> {
    const head = headOf(await mirror.update(guard, signal), this.#repository.paths)
    const file = tableOf(mirror)
    const before = await readHead(file)
    if (JSON.stringify(before) !== JSON.stringify(head))
      await writeTable(file, head, { ...mirror.git, signal })
    for await (const _ of readTable(file)) return
    const { paths } = this.#repository
    throw new KnownError(
      `There are no files in ${this.place}${paths.length > 0 ? ` at ${paths.join(", ")}` : ""}.`,
    )
  }

  async *list({ signal, onTrouble }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    const file = tableOf(this.#needed())
    if ((await readHead(file)) === null)
      throw new KnownError(`The repository ${this.place} hasn't been fetched yet.`)
    const listed = new Map<string, RepositoryFile>()
    const troubles = new Troubles()
    const readers = await this.#readersOf(file, async ({ path }, problem) => {
      await onTrouble(
        `invalid readers file in ${this.place}, so nobody may read the files next to it: ${path} (${problem})`,
      )
    })
    for await (const files of readTable(file)) {
      if (signal.aborted) return
      const entries: ContentEntry[] = []
      for (const one of files) {
        if (isReadersFile(one.path)) continue
        const url = isNameable(one.path) ? addressBelow(this.#address, one.path.split("/")) : null
        if (url === null) troubles.add(one.path)
        else {
          listed.set(one.path, one)
          const { time, blob, bytes, path } = one
          const label = labelOf(readers.of(path))
          entries.push({ url, changedAt: changedAt({ time, blob: `${blob}${label ?? ""}` }), bytes })
        }
      }
      yield entries
    }
    this.#listed = listed
    this.#readers = readers
    if (troubles.isEmpty) return
    await onTrouble(
      `left out of ${this.place}, because their names aren't UTF-8 or lead elsewhere: ${troubles.toString()}`,
    )
  }

  async fingerprint(): Promise<string> {
    try {
      return await commitInFolder(this.#repository)
    } catch (error) {
      return (error as Error).message
    }
  }

  async load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult> {
    const names = namesBelow(this.#address, url)
    if (names === null) return gone("no file in the repository has this address")
    try {
      const file = isReadersFile(names.join("/")) ? null : await this.#fileAt(names.join("/"))
      if (file === null) return gone(`the file is no longer in ${this.place}`)
      return await this.#read(file, url, options)
    } catch (error) {
      if (error instanceof KnownError) return failed("refused", error.message)
      return failed("refused", `the mirror of the repository cannot be read (${(error as Error).message})`)
    }
  }

  async #read(
    { path, blob, bytes, time, author }: RepositoryFile,
    url: PageUrl,
    { maxBytes, memory, validators, signal }: ContentLoadOptions,
  ): Promise<FetchResult> {
    const publishedAt = new Date(time * 1000)
    const readers = (await this.#readersNow()).of(path)
    const label = labelOf(readers)
    const etag = `"${blob}${label === null ? "" : `-${label}`}"`
    const headers = { etag, "last-modified": publishedAt.toUTCString(), "content-type": typeByEnding(path) }
    if (validators?.etag === etag) return { kind: "not-modified", url, headers }
    if (bytes > maxBytes) return tooLarge(bytes, maxBytes)
    await memory?.reserve(bytes)
    if (signal?.aborted) return failed("cancelled", "the crawl was stopped")
    const body = await this.#blobs!.read(blob)
    if (body === null) return failed("refused", "its content is no longer in the mirror of the repository")
    if (isLfsPointer(body))
      return {
        kind: "skipped",
        because: "unsupported-type",
        detail: "Git LFS stores its content outside the repository",
      }
    const facts = { publishedAt, ...(author !== "" && { author }) }
    const marks = marksAt(this.#address)
    return {
      kind: "fetched",
      url,
      status: 200,
      headers,
      body,
      facts,
      ...(label !== null && { readers }),
      ...(marks && { marks }),
    }
  }

  /** Who may read the files found by the last call of `list`, or the files in the table in which pages are looked up. */
  async #readersNow(): Promise<ReadersTree> {
    if (this.#listed !== null && this.#readers !== null) return this.#readers
    const looked = this.#looked
    const readers = looked?.readers ?? (await this.#readersOf(tableOf(this.#needed())))
    if (looked !== null) looked.readers = readers
    return readers
  }

  /** Reads the readers files of a table. */
  async #readersOf(
    table: string,
    onProblem?: (file: RepositoryFile, problem: string) => Promise<void>,
  ): Promise<ReadersTree> {
    const found: RepositoryFile[] = []
    for await (const files of readTable(table)) found.push(...files.filter(({ path }) => isReadersFile(path)))
    const byFolder = new Map<string, ReadersFile>()
    for (const file of found) {
      const body = file.bytes > MOST_BYTES ? null : await this.#blobs!.read(file.blob).catch(() => null)
      const said = body === null ? unreadReaders("it cannot be read") : await readReadersFile(body)
      byFolder.set(file.path.split("/").slice(0, -1).join("/"), said)
      if (said.problem !== null) await onProblem?.(file, said.problem)
    }
    return new ReadersTree(byFolder)
  }

  async #fileAt(path: string): Promise<RepositoryFile | null> {
    if (this.#listed !== null) return this.#listed.get(path) ?? null
    const file = tableOf(this.#needed())
    const head = await readHead(file)
    if (head === null) throw new KnownError(`The repository ${this.place} hasn't been fetched yet.`)
    const { commit } = head
    if (this.#looked?.commit !== commit) {
      // The first lookup reads the table only up to the file that it is looking for. The second one keeps the whole
      // table.
      this.#looked = { commit, files: null, readers: null }
      for await (const files of readTable(file)) {
        const found = files.find((one) => one.path === path)
        if (found !== undefined) return found
      }
      return null
    }
    if (this.#looked.files === null) {
      const files = new Map<string, RepositoryFile>()
      for await (const some of readTable(file)) for (const one of some) files.set(one.path, one)
      this.#looked.files = files
    }
    return this.#looked.files.get(path) ?? null
  }

  #needed(): Mirror {
    if (this.#mirror === null) throw new KnownError(`The repository ${this.place} hasn't been fetched yet.`)
    return this.#mirror
  }
}

const tableOf = ({ dir }: Mirror): string => join(dir, "files")

/**
 * A time that differs for different contents, even if their commits have the same time, as after a force-push. It is up
 * to 18 minutes earlier than the commit, so it is never later than the next visit.
 */
export function changedAt({ time, blob }: Pick<RepositoryFile, "time" | "blob">): number {
  const share = createHash("sha256").update(blob).digest().readUInt32BE() / 2 ** 32
  return Math.round((time - share * TIME_OFF) * 1000)
}

const isNameable = (path: string): boolean =>
  isText(path) && path.split("/").every((name) => name !== "" && name !== "." && name !== "..")

const isLfsPointer = (body: Uint8Array): boolean =>
  body.length <= MAX_LFS_BYTES && Buffer.from(body.subarray(0, LFS.length)).toString() === LFS
