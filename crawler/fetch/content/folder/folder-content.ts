import { createHash } from "node:crypto"
import { lstatSync, type Stats } from "node:fs"
import { type FileHandle, open, opendir, realpath } from "node:fs/promises"
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fnv1a } from "#base/text/hash.ts"
import type { Readers } from "#engine/index/page/readers.ts"
import type { PageUrl } from "#engine/index/page/page-url.ts"
import { KnownError } from "#base/errors.ts"
import type { FetchResult } from "../../fetch.ts"
import { codeOf } from "../../network-error.ts"
import { addressBelow, namesBelow } from "../addresses-below.ts"
import type { Content, ContentEntry, ContentLoadOptions, ContentListOptions } from "../content.ts"
import { typeByEnding } from "../file-type.ts"
import { fill, OPEN_UNLINKED } from "../read-file.ts"
import { ACCOUNT_FILES } from "../readers/account-names.ts"
import { labelOf } from "../readers/label-of.ts"
import { FolderReaders } from "../readers/folder-readers.ts"
import { READERS_FILE } from "../readers/readers-file.ts"
import { failed, gone, tooLarge } from "../results.ts"
import { Troubles } from "../troubles.ts"
import { AT_ONCE, changedAt, walk } from "./walk.ts"

/**
 * The files of a folder, as pages below an address: `/srv/docs/a b.md` is `https://nas.example/docs/a%20b.md` where the
 * folder `/srv/docs` has the address `https://nas.example/docs/`.
 */
export class FolderContent implements Content {
  readonly noun = "file"
  readonly #root: string
  readonly #address: string
  readonly #byModes: boolean
  /** The readers determined by the last walk. */
  #readers: FolderReaders | null = null

  /**
   * @param address ends with `/`
   * @param byModes whether modes and access control lists decide who may read
   */
  constructor(root: string, address: string, byModes = false) {
    this.#root = resolve(root)
    this.#address = address
    this.#byModes = byModes
  }

  get place(): string {
    return this.#root
  }

  async check(): Promise<void> {
    await this.open()
  }

  /**
   * A share that is not mounted often leaves an empty folder behind, in which every file seems to be deleted. So an
   * empty folder doesn't prove that files were deleted.
   */
  async open(): Promise<void> {
    const trouble = await this.#trouble()
    if (trouble !== null) throw new KnownError(trouble)
  }

  async *list({ signal, onTrouble }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    await this.open()
    const unread = new Troubles()
    const readers = await FolderReaders.ofWalk(this.#root, {
      byModes: this.#byModes,
      onTrouble: (trouble) => unread.add(trouble),
    })
    this.#readers = readers
    for await (const { files, troubles } of walk(this.#root)) {
      if (signal.aborted) return
      for (const trouble of troubles) unread.add(trouble)
      const entries: ContentEntry[] = []
      for (const { path, stats } of files) {
        const url = this.addressOf(path)
        if (url === null) continue
        const label = labelOf(await readers.of(path, stats))
        entries.push({ url, changedAt: changedAt(stats) - shiftBy(label), bytes: stats.size })
      }
      yield entries
    }
    if (!unread.isEmpty) await onTrouble(`not readable in ${this.#root}: ${unread.toString()}`)
  }

  async fingerprint(): Promise<string> {
    const trouble = await this.#trouble()
    if (trouble !== null) return trouble
    const print = createHash("sha256")
    let last: readonly string[] | null = null
    try {
      if (this.#byModes) for (const file of Object.values(ACCOUNT_FILES)) print.update(stateOf(file))
      for await (const { folder, files, troubles } of walk(this.#root, AT_ONCE)) {
        if (folder !== last) {
          const path = join(this.#root, ...folder)
          print.update(stateOf(join(path, READERS_FILE)))
          if (this.#byModes) print.update(`${folder.join("/")}\0${stateOf(path)}`)
          last = folder
        }
        for (const { path, stats } of files)
          print.update(`${path.join("/")}\0${changedAt(stats)}\0${stats.size}\0`)
        for (const trouble of troubles) print.update(`${trouble}\0`)
      }
    } catch (error) {
      return codeOf(error as Error)
    }
    return print.digest("base64url")
  }

  /** The address of a file, from the names in its path. */
  addressOf(path: readonly string[]): PageUrl | null {
    return addressBelow(this.#address, path)
  }

  /** The path of the file at an address, or `null` if the address can't be a file of this folder. */
  pathOf(url: string): string | null {
    const names = namesBelow(this.#address, url)
    return names && join(this.#root, ...names)
  }

  async load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult> {
    const path = this.pathOf(url)
    if (path === null) return gone("no file in the folder has this address")
    if (basename(path) === READERS_FILE) return gone("the file only defines who may read other files")
    try {
      await using file = await open(path, OPEN_UNLINKED)
      const stats = await file.stat()
      if (!stats.isFile()) return gone("it is no longer a regular file")
      if (!(await this.#isInside(path))) return gone("a symbolic link leads out of the folder")
      return await read(file, stats, await this.#readersOf(path, stats), url, path, options)
    } catch (error) {
      return await this.#failure(error as Error)
    }
  }

  async #readersOf(path: string, stats: Stats): Promise<Readers> {
    const byModes = this.#byModes
    const readers =
      this.#readers ?? FolderReaders.ofFiles(this.#root, { byModes, onTrouble: () => undefined })
    return await readers.of(relative(this.#root, path).split(sep), stats)
  }

  /** Whether no symbolic link in the path leads out of the folder. */
  async #isInside(path: string): Promise<boolean> {
    const way = relative(await realpath(this.#root), await realpath(path))
    return way !== "" && !isAbsolute(way) && way.split(sep)[0] !== ".."
  }

  async #failure(error: Error): Promise<FetchResult> {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") {
      const trouble = await this.#trouble()
      return trouble === null ? gone("the file is no longer in the folder") : failed("refused", trouble)
    }
    if (code === "EACCES" || code === "EPERM")
      return { ...failed("http-status", "Fossick has no permission to read the file", false), status: 403 }
    return failed("refused", `the file cannot be read (${code || error.message})`)
  }

  /** Why the folder cannot be read now, for people; `null` if it can. */
  async #trouble(): Promise<string | null> {
    try {
      await using entries = await opendir(this.#root)
      const first = await entries.read()
      return first === null
        ? `The folder ${this.#root} is empty. If it is on a share, mount the share.`
        : null
    } catch (error) {
      return `The folder ${this.#root} cannot be read (${codeOf(error as Error)}). If it is on a share, mount the share.`
    }
  }
}

async function read(
  file: FileHandle,
  stats: Stats,
  readers: Readers,
  url: PageUrl,
  path: string,
  { maxBytes, memory, validators, signal }: ContentLoadOptions,
): Promise<FetchResult> {
  const label = labelOf(readers)
  const etag = `"${changedAt(stats)}-${stats.size}${label === null ? "" : `-${label}`}"`
  const headers = {
    etag,
    "last-modified": stats.mtime.toUTCString(),
    "content-type": typeByEnding(path),
  }
  if (validators?.etag === etag) return { kind: "not-modified", url, headers }
  if (stats.size > maxBytes) return tooLarge(stats.size, maxBytes)
  await memory?.reserve(stats.size)
  if (signal?.aborted) return failed("cancelled", "the crawl was stopped")
  const body = new Uint8Array(stats.size)
  // The file was cut short because a program is still writing it. The next attempt reads all of it.
  if ((await fill(file, body, 0)) < body.length)
    return failed("refused", "the file got shorter while it was being read")
  return { kind: "fetched", url, status: 200, headers, body, ...(label !== null && { readers }) }
}

/** Upper limit for shifting times: most of a day. Times are moved back by less than this, so that they change when readers change and are never later than the next visit. */
const MOST_SHIFT_MS = 2 ** 26

const shiftBy = (label: string | null): number =>
  label === null ? 0 : 1 + ((fnv1a(label) >>> 0) % MOST_SHIFT_MS)

/** A value that differs after any change to a file or its permissions; empty if there is no such file. */
function stateOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return ""
  const { mode, uid, gid, size } = stats
  return `${mode} ${uid} ${gid} ${stats.isDirectory() ? "" : size} ${changedAt(stats)}\0`
}
