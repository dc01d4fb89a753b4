import { gitPieces, type GitOptions } from "./git.ts"

/** Who last changed a file, and when: seconds since 1970. */
export interface LastChange {
  readonly time: number
  readonly author: string
}

const COMMIT = "\u0001"
const BETWEEN = "\u0002"

/**
 * Finds the newest commit that gave each file its current content, searching from the newest commit back, and stops
 * when all are found. If only a few commits are new, it reads only those. A merge is considered too if it produced
 * content that no parent had.
 * @param wanted the blob of each file, by path; files that are found are removed
 */
export async function* lastChanges(
  commit: string,
  paths: readonly string[],
  wanted: Map<string, string>,
  options: GitOptions,
): AsyncGenerator<readonly [path: string, change: LastChange]> {
  if (wanted.size === 0) return
  const format = `--format=%x01%ct%x02%aN`
  const log = [
    "log",
    "--no-renames",
    "--no-ext-diff",
    "--raw",
    "-c",
    "--root",
    "-z",
    "--no-abbrev",
    format,
  ] as const
  let change: LastChange = { time: 0, author: "" }
  let blob: string | null = null
  for await (const pieces of gitPieces([...log, commit, "--", ...paths], options)) {
    for (const piece of pieces) {
      if (blob !== null) {
        const isFound = wanted.get(piece) === blob
        blob = null
        if (!isFound) continue
        wanted.delete(piece)
        yield [piece, change]
        if (wanted.size === 0) return
      } else if (piece.startsWith(COMMIT)) {
        const [time, author = ""] = piece.slice(1).split(BETWEEN)
        change = { time: Number(time), author }
      } else blob = blobAfter(piece)
    }
  }
}

/** The blob after a commit, from a line of `--raw`, which first lists a mode and a blob per parent; `null` for any other line. */
function blobAfter(line: string): string | null {
  const parents = /^\n?(:+)/.exec(line)?.[1]?.length
  return parents === undefined ? null : (line.split(" ")[2 * parents + 1] ?? null)
}
