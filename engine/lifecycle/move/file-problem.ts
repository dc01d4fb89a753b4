import { CommandError } from "#base/run-command.ts"

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a folder in its path is a file",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  EPIPE: "the program that reads it has ended",
}

/** The system's file errors in words for people; any other error unchanged. */
export function fileProblem(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const why = WHY[code ?? ""]
  return why === undefined
    ? error
    : new CommandError(`Cannot use ${file}: ${why} (${code}).`, { cause: error })
}
