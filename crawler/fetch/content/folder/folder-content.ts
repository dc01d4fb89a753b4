import { createHash } from "node:crypto"
import type { Stats } from "node:fs"
import { type FileHandle, open, opendir, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import type { PageUrl } from "#engine/index/page/page-url.ts"
import { KnownError } from "#base/errors.ts"
import type { FetchResult } from "../../fetch.ts"
import { codeOf } from "../../network-error.ts"
import { addressBelow, namesBelow } from "../addresses-below.ts"
import type { Content, ContentEntry, ContentLoadOptions, ContentListOptions } from "../content.ts"
import { typeByEnding } from "../file-type.ts"
import { fill, OPEN_UNLINKED } from "../read-file.ts"
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

  /** @param address ends with `/` */
  constructor(root: string, address: string) {
    this.#root = root
    this.#address = address
  }

  get place(): string {
    return this.#root
  }

  async check(): Promise<void> {
    await this.open()
  }

  /**
   * A share that is not mounted often leaves an empty folder behind, in which every file seems to be deleted. So an empty folder proves
   * nothing.
   */
  async open(): Promise<void> {
    const trouble = await this.#trouble()
    if (trouble !== null) throw new KnownError(trouble)
  }

  async *list({ signal, onTrouble }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    await this.open()
    const unread = new Troubles()
    for await (const { files, troubles } of walk(this.#root)) {
      if (signal.aborted) return
      for (const trouble of troubles) unread.add(trouble)
      yield files.flatMap(({ path, stats }) => {
        const url = this.addressOf(path)
        return url === null ? [] : { url, changedAt: changedAt(stats), bytes: stats.size }
      })
    }
    if (!unread.isEmpty) await onTrouble(`not readable in ${this.#root}: ${unread.toString()}`)
  }

  async fingerprint(): Promise<string> {
    const trouble = await this.#trouble()
    if (trouble !== null) return trouble
    const print = createHash("sha256")
    try {
      for await (const { files, troubles } of walk(this.#root, AT_ONCE)) {
        for (const { path, stats } of files)
          print.update(`${path.join("/")}\0${changedAt(stats)}\0${stats.size}\0`)
        for (const trouble of troubles) print.update(`${trouble}\0`)
      }
    } catch (error) {
      return codeOf(error as Error)
    }
    return print.digest("base64url")
  }

  /** The address of a file, by the names that lead to it. */
  addressOf(path: readonly string[]): PageUrl | null {
    return addressBelow(this.#address, path)
  }

  /** The path of the file at an address, or null when no file of this folder can be meant. */
  pathOf(url: string): string | null {
    const names = namesBelow(this.#address, url)
    return names && join(this.#root, ...names)
  }

  async load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult> {
    const path = this.pathOf(url)
    if (path === null) return gone("no file of the folder has this address")
    try {
      await using file = await open(path, OPEN_UNLINKED)
      const stats = await file.stat()
      if (!stats.isFile()) return gone("it is no longer a regular file")
      if (!(await this.#isInside(path))) return gone("a symbolic link leads out of the folder")
      return await read(file, stats, url, path, options)
    } catch (error) {
      return await this.#failure(error as Error)
    }
  }

  /** Whether no link on the way leads elsewhere. */
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

  /** Why the folder cannot be read now, for people; null when it can. */
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
  url: PageUrl,
  path: string,
  { maxBytes, memory, validators, signal }: ContentLoadOptions,
): Promise<FetchResult> {
  const etag = `"${changedAt(stats)}-${stats.size}"`
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
  // A program is still writing it. The next try reads the whole file.
  if ((await fill(file, body, 0)) < body.length)
    return failed("refused", "the file became shorter while it was read")
  return { kind: "fetched", url, status: 200, headers, body }
}
