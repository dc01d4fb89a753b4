import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CHILD_ENV } from "#base/testing/child-env.ts"

const NOBODYS = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C" }

/** A repository with its files, created by the real git. */
export class GitWork {
  readonly root: string
  /** The time of the next commit in seconds since 1970; each is an hour after the one before. */
  at = 1_700_000_000

  constructor(root: string) {
    this.root = root
    mkdirSync(root, { recursive: true })
    this.git("init", "--quiet", "--initial-branch=main")
  }

  /** The output of a git command in the repository. */
  git(...args: readonly string[]): string {
    const date = `${this.at} +0000`
    const who = { GIT_AUTHOR_NAME: this.author, GIT_AUTHOR_EMAIL: "who@example.com" }
    const by = { GIT_COMMITTER_NAME: "A Robot", GIT_COMMITTER_EMAIL: "robot@example.com" }
    const env = {
      ...CHILD_ENV,
      ...NOBODYS,
      ...who,
      ...by,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    }
    return execFileSync("git", args, {
      cwd: this.root,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    })
  }

  /** The author of the next commit. */
  author = "Ann Author"

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  remove(path: string): void {
    rmSync(join(this.root, path))
  }

  /** Commits all changes. @returns the commit's hash */
  commit(message = "change"): string {
    this.git("add", "--all")
    this.git("commit", "--quiet", "--allow-empty", `--message=${message}`)
    this.at += 3600
    return this.git("rev-parse", "HEAD").trim()
  }
}
