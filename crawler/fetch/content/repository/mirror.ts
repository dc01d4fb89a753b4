import { existsSync, readdirSync, rmSync } from "node:fs"
import { readdir, rm, stat } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import { KnownError } from "#base/errors.ts"
import { environment } from "#base/settings.ts"
import type { Repository } from "../../../source.ts"
import type { AddressGuard } from "../../guard/address-guard.ts"
import { codeOf } from "../../network-error.ts"
import { resolveValue } from "../../secrets.ts"
import { copyFolder, withCopy } from "../local-copy.ts"
import { userFor } from "./forges.ts"
import { git, GitError, type GitOptions } from "./git.ts"
import { Relay } from "./relay.ts"

const ANY_OWNER = fileURLToPath(new URL("./any-owner.gitconfig", import.meta.url))
/** The ref in the mirror that points to the source's commit. */
const AT = "refs/fossick/at"

export const isLocal = ({ url }: Pick<Repository, "url">): boolean => isAbsolute(url)

/** A bare copy of the branch that a source reads, with its history. */
export class Mirror {
  /** Folder that contains the bare repository and files made from it. */
  readonly dir: string
  readonly #repository: Repository

  constructor(dataDir: string, source: string, repository: Repository) {
    this.dir = copyFolder(dataDir, "repositories", source)
    this.#repository = repository
  }

  /** Options for git commands that read the mirror. */
  get git(): GitOptions {
    return { dir: join(this.dir, "git"), settings: { "mailmap.blob": `${AT}:.mailmap` } }
  }

  /** Runs `work` while this process holds the mirror's lock. */
  async locked<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await withCopy(this.dir, work, signal)
  }

  /**
   * Fetches the newest commit; call it under the lock.
   * @returns the commit
   * @throws KnownError that says why it can't be fetched
   */
  async update(guard: AddressGuard, signal?: AbortSignal): Promise<string> {
    const { url } = this.#repository
    const options = { ...this.git, signal }
    await git(["init", "--quiet", "--bare"], options)
    removeLeftBehind(join(this.dir, "git"))
    if (isLocal(this.#repository)) {
      await requireFolder(url)
      await this.#fetch({ ...options, ...reachingFolder(url) })
    } else {
      await using relay = await Relay.start({
        url: new URL(url),
        authorization: this.#authorization(),
        guard,
      })
      const reaching = {
        reaches: "http",
        settings: { ...options.settings, "remote.origin.url": relay.address },
      }
      try {
        await this.#fetch({ ...options, ...reaching } as GitOptions)
      } catch (error) {
        throw relay.failure ?? error
      }
    }
    return await git(["rev-parse", "--verify", `${AT}^{commit}`], options)
  }

  async #fetch(options: GitOptions): Promise<void> {
    const { url, ref } = this.#repository
    const wanted = `+${ref ?? "HEAD"}:${AT}`
    try {
      await git(
        ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow", "origin", wanted],
        options,
      )
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (/couldn't find remote ref/.test(error.said))
        throw new KnownError(
          ref === null
            ? `The repository ${url} is empty, or has no default branch; name a branch in ref.`
            : `The repository ${url} has no branch or tag ${ref}.`,
          { cause: error },
        )
      throw new KnownError(`The repository ${url} cannot be fetched: ${reasonIn(error.said)}`, {
        cause: error,
      })
    }
  }

  #authorization(): string | null {
    const { url, token, user } = this.#repository
    if (token === null) return null
    let secret
    try {
      secret = resolveValue(token, environment())
    } catch (error) {
      throw new KnownError((error as Error).message, { cause: error })
    }
    return `Basic ${Buffer.from(`${user ?? userFor(new URL(url))}:${secret}`).toString("base64")}`
  }

  /** Deletes the copy, so that the next {@link update} fetches everything; call it under the lock. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.dir))
      if (name !== "lock") await rm(join(this.dir, name), { recursive: true, force: true })
  }
}

/** The current commit of a repository in a folder on this machine. @throws KnownError that says why it cannot be read */
export async function commitInFolder({ url, ref }: Repository): Promise<string> {
  await requireFolder(url)
  return await git(["ls-remote", "--quiet", "origin", ref ?? "HEAD"], reachingFolder(url))
}

/** A repository in a folder on this machine, which may belong to another user. */
const reachingFolder = (url: string): GitOptions => ({
  reaches: "file",
  // The process that reads the folder doesn't receive settings from the environment.
  settingsFile: ANY_OWNER,
  settings: { "remote.origin.url": url },
})

async function requireFolder(url: string): Promise<void> {
  const share = "If it is on a share, mount the share."
  try {
    const stats = await stat(url)
    if (!stats.isDirectory()) throw new KnownError(`The repository ${url} isn't a folder.`)
  } catch (error) {
    if (error instanceof KnownError) throw error
    throw new KnownError(`The repository ${url} cannot be read (${codeOf(error as Error)}). ${share}`, {
      cause: error,
    })
  }
  if (!(await isRepository(url))) throw new KnownError(`The folder ${url} isn't a Git repository. ${share}`)
}

/** Whether a folder is a repository: either a bare one, or one with a working tree. */
export async function isRepository(folder: string): Promise<boolean> {
  const has = async (...names: string[]) =>
    await stat(join(folder, ...names)).then(
      () => true,
      () => false,
    )
  return (await has(".git")) || ((await has("HEAD")) && (await has("objects")) && (await has("refs")))
}

/** Folders of the repository in which git creates locks and temporary files. */
const WRITTEN = ["refs", "objects/info", "objects/pack"]

/** Files that a killed git process leaves behind: locks, which block the next process, and parts of packs. */
const LEFT_BEHIND = /\.lock$|(?:^|\/)(?:tmp_|\.tmp-)[^/]*$/

function removeLeftBehind(dir: string): void {
  for (const folder of [dir, ...WRITTEN.map((name) => join(dir, name))].filter(existsSync))
    for (const name of readdirSync(folder, { recursive: folder !== dir, encoding: "utf8" }))
      if (LEFT_BEHIND.test(name)) rmSync(join(folder, name), { force: true })
}

/** The first line that gives a reason; the other lines are consequences of it. */
function reasonIn(said: string): string {
  const lines = said.split("\n").map((line) => line.trim())
  const reason = /^(?:remote: )?(?:fatal|error): /
  return (lines.find((line) => reason.test(line)) ?? lines.at(-1)!).replace(reason, "")
}
