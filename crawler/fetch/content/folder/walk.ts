import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../../network-error.ts"
import { isText, LEFT_OUT } from "../file-names.ts"

/** A file in a folder. */
export interface FolderFile {
  /** The names of the folders in the file's path, followed by the file's own name. */
  readonly path: readonly string[]
  readonly stats: Stats
}

/** The files found in one folder, or the next batch if there are many. */
export interface Walked {
  /** The names of the folders in the folder's path, followed by its own name; the same object for all files of one folder. */
  readonly folder: readonly string[]
  readonly files: readonly FolderFile[]
  /** Files and folders that could not be read, in words. */
  readonly troubles: readonly string[]
}

/** The file system calls that a walk makes; they can answer synchronously or asynchronously. */
export interface FileSystem {
  readdir(path: string): Dirent[] | Promise<Dirent[]>
  lstat(path: string): Stats | Promise<Stats>
}

/** File system calls that block the process. They are ten times faster, for a process that does nothing else. */
export const AT_ONCE: FileSystem = {
  readdir: (path) => readdirSync(path, { withFileTypes: true }),
  lstat: lstatSync,
}

export const LATER: FileSystem = { readdir: (path) => readdir(path, { withFileTypes: true }), lstat }

/** Number of files of one folder that are yielded at a time. */
const CHUNK = 500

/**
 * All regular files below a folder, folder by folder and sorted by name. Hidden files, symbolic links, pipes, sockets
 * and devices are left out: a link may lead out of the folder or form a loop, and reading the others may never end.
 * @throws the file system's error if the folder itself cannot be listed
 */
export async function* walk(root: string, files: FileSystem = LATER): AsyncGenerator<Walked> {
  const waiting: (readonly string[])[] = [[]]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    let entries: Dirent[]
    try {
      entries = await files.readdir(join(root, ...path))
    } catch (error) {
      if (path.length === 0) throw error
      // The folder was deleted after its parent was listed.
      if (codeOf(error as Error) !== "ENOENT")
        yield { folder: path, files: [], troubles: [unread(path, error)] }
      continue
    }
    const listed = entries.filter(({ name }) => !LEFT_OUT.test(name))
    const troubles = listed
      .filter(({ name }) => !isText(name))
      .map(({ name }) => `${shown([...path, name])} (its name isn't UTF-8)`)
    const named = listed.filter(({ name }) => isText(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
    const plain = named.filter((entry) => entry.isFile())
    for (let from = 0; from === 0 || from < plain.length; from += CHUNK) {
      const found = await filesOf(root, path, plain.slice(from, from + CHUNK), files)
      yield {
        folder: path,
        files: found.files,
        troubles: [...(from === 0 ? troubles : []), ...found.troubles],
      }
    }
    const folders = named.filter((entry) => entry.isDirectory())
    waiting.push(...folders.reverse().map(({ name }) => [...path, name]))
  }
}

export async function filesOf(
  root: string,
  path: readonly string[],
  entries: readonly Pick<Dirent, "name">[],
  system: FileSystem,
): Promise<Walked> {
  const files: FolderFile[] = []
  const troubles: string[] = []
  const looked = await Promise.allSettled(
    entries.map(async ({ name }) => await system.lstat(join(root, ...path, name))),
  )
  for (const [index, result] of looked.entries()) {
    const own = [...path, entries[index]!.name]
    if (result.status === "fulfilled") files.push({ path: own, stats: result.value })
    else if (codeOf(result.reason as Error) !== "ENOENT") troubles.push(unread(own, result.reason))
  }
  return { folder: path, files, troubles }
}

/** When a file's content or path last changed, in milliseconds since 1970: the later of `mtime`, which programs can set freely, and `ctime`, which they cannot set. */
export const changedAt = ({ mtimeMs, ctimeMs }: Stats): number => Math.floor(Math.max(mtimeMs, ctimeMs))

const unread = (path: readonly string[], error: unknown): string =>
  `${shown(path)} (${codeOf(error as Error) || (error as Error).message})`

const shown = (path: readonly string[]): string => path.join("/")
