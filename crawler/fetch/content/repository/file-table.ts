import { createWriteStream } from "node:fs"
import { open, rename } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { READERS_FILE } from "../readers/readers-file.ts"
import { gitPieces, type GitOptions } from "./git.ts"
import { lastChanges } from "./history.ts"

/** A file of a repository at one commit. */
export interface RepositoryFile {
  readonly path: string
  /** Hash that identifies the file's content. */
  readonly blob: string
  readonly bytes: number
  /** The time of the commit that gave the file this content, in seconds since 1970. */
  readonly time: number
  /** The author of that commit. */
  readonly author: string
}

/** The commit and paths that a table was made from. */
export interface TableHead {
  readonly version: number
  readonly commit: string
  readonly paths: readonly string[]
}

type Row = readonly [path: string, blob: string, bytes: number, time: number, author: string]

/** Version of the file's format; must be increased when the format changes. */
const VERSION = 1
const CHUNK = 500
/** Files meant for Git itself, not for readers. */
const LEFT_OUT = /(?:^|\/)\.(?:git(?:attributes|ignore|modules|keep)|mailmap)$/
/** A regular file, executable or not: neither a symbolic link nor a submodule. */
const REGULAR = /^100/

export const headOf = (commit: string, paths: readonly string[]): TableHead => ({
  version: VERSION,
  commit,
  paths: paths.length === 0 ? [] : [...new Set([...paths, ...paths.flatMap(readersFilesAbove)])],
})

/** The readers files in the folders above a path. */
function readersFilesAbove(path: string): string[] {
  const names = path.split("/")
  return names.map((_, depth) => [...names.slice(0, depth), READERS_FILE].join("/"))
}

export const isReadersFile = (path: string): boolean => path.split("/").at(-1) === READERS_FILE

/**
 * Writes a table of all files of a commit, each with its last change. Rows of an earlier table are reused for unchanged files; the history is read for the others.
 * @throws GitError
 */
export async function writeTable(file: string, head: TableHead, options: GitOptions): Promise<void> {
  const { commit, paths } = head
  const before = new Map<string, RepositoryFile>()
  for await (const files of readTable(file)) for (const one of files) before.set(one.path, one)
  const files = new Map<string, RepositoryFile>()
  const wanted = new Map<string, string>()
  const list = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", ...paths] as const
  for await (const pieces of gitPieces(list, options))
    for (const one of pieces.flatMap(fileIn)) {
      const known = before.get(one.path)
      if (known?.blob === one.blob) files.set(one.path, known)
      else {
        files.set(one.path, one)
        wanted.set(one.path, one.blob)
      }
    }
  before.clear()
  const now = Math.floor(Date.now() / 1000)
  for await (const [path, { time, author }] of lastChanges(commit, paths, wanted, options))
    // A committer's clock may be wrong, so a time is never later than now.
    files.set(path, { ...files.get(path)!, time: Math.min(time, now), author })
  await pipeline(Readable.from(lines(head, files.values())), createWriteStream(`${file}.new`))
  await rename(`${file}.new`, file)
}

function* lines(head: TableHead, files: Iterable<RepositoryFile>): Generator<string> {
  yield `${JSON.stringify(head)}\n`
  for (const { path, blob, bytes, time, author } of files)
    yield `${JSON.stringify([path, blob, bytes, time, author] satisfies Row).replaceAll(SEPARATORS, escaped)}\n`
}

/** Characters that must be escaped because `readLines` would also end a line at them. */
const SEPARATORS = /[\u2028\u2029]/g
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16)}`

/** The file in a line of `ls-tree -l`: mode, type, blob and size, then a tab and the path. */
function fileIn(line: string): RepositoryFile[] {
  const tab = line.indexOf("\t")
  const [mode = "", , blob = "", bytes = ""] = line.slice(0, tab).split(/ +/)
  const path = line.slice(tab + 1)
  // A readers file that is a link stays in the table: it can't be parsed, so it hides everything below it.
  return (REGULAR.test(mode) || isReadersFile(path)) && !LEFT_OUT.test(path)
    ? [{ path, blob, bytes: Number(bytes), time: 0, author: "" }]
    : []
}

/** The head of a table; `null` if there is no table. */
export async function readHead(file: string): Promise<TableHead | null> {
  for await (const line of linesOf(file)) {
    const head = JSON.parse(line) as TableHead
    return head.version === VERSION ? head : null
  }
  return null
}

/** The files of a table, one batch at a time; yields nothing if there is no table. */
export async function* readTable(file: string): AsyncGenerator<readonly RepositoryFile[]> {
  let isFirst = true
  let some: RepositoryFile[] = []
  for await (const line of linesOf(file)) {
    if (isFirst && (JSON.parse(line) as TableHead).version !== VERSION) return
    if (!isFirst) {
      const [path, blob, bytes, time, author] = JSON.parse(line) as Row
      some.push({ path, blob, bytes, time, author })
    }
    isFirst = false
    if (some.length < CHUNK) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

async function* linesOf(file: string): AsyncGenerator<string> {
  let handle
  try {
    handle = await open(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return
    throw error
  }
  await using opened = handle
  yield* opened.readLines()
}
