import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** This checkout, whose measuring programs are used for both checkouts. */
export const OWN = join(import.meta.dirname, "../..")

/** A folder with the code and its packages. */
export interface Checkout extends Disposable {
  readonly root: string
}

/** A folder for this run, deleted when the process ends for any reason but SIGKILL. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `fossick-${name}-`))
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const ends = new Set<() => void>()

/** Calls `clear` when this process ends, even by a signal: a worktree left behind would be in the way. Last in, first out. @returns a function that cancels `clear` */
export function atTheEnd(clear: () => void): () => void {
  if (!process.listeners("exit").includes(clearAll)) {
    process.once("exit", clearAll)
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
  }
  ends.add(clear)
  return () => void ends.delete(clear)
}

const clearAll = () => {
  for (const clear of [...ends].toReversed()) clear()
}

/** The folder of a checkout, or a worktree of a commit. @throws Error that says what is missing and how to get it */
export function checkoutOf(what: string): Checkout {
  const folder = resolve(what)
  if (!existsSync(folder)) return worktreeOf(what)
  if (!existsSync(join(folder, "package-lock.json")) || !statSync(folder).isDirectory())
    throw new Error(`${folder} is not a checkout`)
  if (!existsSync(join(folder, "node_modules")))
    throw new Error(`${folder} has no packages: run npm ci there`)
  return { root: folder, [Symbol.dispose]: () => undefined }
}

/** A worktree with this checkout's packages. @throws Error if the commit needs other packages */
export function worktreeOf(commit: string): Checkout {
  const hash = commitOf(commit)
  const root = join(scratchFolder("worktree"), hash.slice(0, 8))
  git("worktree", "add", "--quiet", "--detach", root, hash)
  const remove = () => void git("worktree", "remove", "--force", root)
  const forget = atTheEnd(remove)
  if (!lockOf(root).equals(lockOf(OWN)))
    throw new Error(
      `${commit} needs other packages than this checkout. Make a checkout for it and pass that folder:\n` +
        `  git worktree add /tmp/before ${commit} && (cd /tmp/before && npm ci)`,
    )
  symlinkSync(join(OWN, "node_modules"), join(root, "node_modules"))
  return { root, [Symbol.dispose]: () => (forget(), remove()) }
}

function commitOf(name: string): string {
  try {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`)
  } catch (cause) {
    throw new Error(`${name} is neither the folder of a checkout nor a commit`, { cause })
  }
}

const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"))

/** @returns the trimmed output @throws Error with git's error output */
export function git(...args: readonly string[]): string {
  try {
    return execFileSync("git", args, { cwd: OWN, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim()
    throw new Error(`git ${args.join(" ")} failed${said ? `: ${said}` : ""}`, { cause: error })
  }
}
