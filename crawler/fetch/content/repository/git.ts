import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { devNull } from "node:os"
import { KnownError } from "#base/errors.ts"
import { codeOf } from "../../network-error.ts"

/** A git command that failed. Its output belongs in a log, because it names files on this machine. */
export class GitError extends Error {
  readonly said: string

  constructor(command: string, said: string) {
    super(`git ${command} failed: ${said}`)
    this.name = "GitError"
    this.said = said
  }
}

export interface GitOptions {
  /** The bare repository to work in; omitted if there is none. */
  readonly dir?: string
  /** Settings in addition to {@link SETTINGS}. Other users of the machine cannot see them. */
  readonly settings?: Readonly<Record<string, string>>
  /** How other repositories can be reached: over http through a relay on loopback, or as a folder; if left out, not at all. */
  readonly reaches?: "http" | "file"
  /** A settings file that also applies to the git process at the other end, if the other repository is a folder. */
  readonly settingsFile?: string
  readonly signal?: AbortSignal | undefined
}

/** Settings for every command. The machine's own settings are ignored; git asks no questions and runs no other programs. */
const SETTINGS = {
  "core.hooksPath": devNull,
  "core.fsmonitor": "false",
  "core.logAllRefUpdates": "false",
  "credential.helper": "",
  "fetch.recurseSubmodules": "false",
  // Stores one pack per fetch, later combined by `gc --auto`, instead of thousands of files.
  "fetch.unpackLimit": "1",
  // A background process would continue without holding the lock.
  "gc.autoDetach": "false",
  "maintenance.autoDetach": "false",
  "http.followRedirects": "false",
  "http.proxy": "",
  // Git's memory use grows with the number of threads, the delta window and the size of files that are held in memory
  // whole.
  "pack.threads": "1",
  "pack.windowMemory": "100m",
  "core.bigFileThreshold": "16m",
}
/** Number of characters of git's error output that are kept. */
const MAX_SAID = 2000
/** Number of characters of a short command's output that are kept. */
const MAX_ANSWER = 1_000_000

const MISSING =
  "Git is not installed, so repositories can't be read. Install it where Fossick runs, for example with apt-get install git."

function environmentOf({ dir, settings, reaches, settingsFile }: GitOptions): NodeJS.ProcessEnv {
  const all = Object.entries({ ...SETTINGS, ...settings })
  const { PATH, TMPDIR, SystemRoot } = process.env
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    LC_ALL: "C",
    // Without this, git would use the settings and remotes of any repository that contains the working directory, such
    // as Fossick's own.
    GIT_DIR: dir ?? devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: settingsFile ?? devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    // `none` is not the name of any protocol, so nothing is allowed.
    GIT_ALLOW_PROTOCOL: reaches ?? "none",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}

/** A running git command, with its error output. */
export class GitProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly #command: string
  readonly #ended: Promise<unknown>
  #said = ""
  #error: Error | null = null

  constructor(args: readonly [string, ...string[]], options: GitOptions) {
    this.#command = args[0]
    this.child = spawn("git", args, { env: environmentOf(options), signal: options.signal })
    this.child.on("error", (error) => (this.#error = error))
    // Git may exit before it has read all input; its exit code says why.
    this.child.stdin.on("error", () => undefined)
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-MAX_SAID)
    })
    this.#ended = new Promise((resolve) => {
      this.child.once("close", resolve)
    })
  }

  /** Waits for the command to end. @throws GitError; KnownError when git isn't installed */
  async end(): Promise<void> {
    await this.#ended
    if (this.#error !== null && codeOf(this.#error) === "ENOENT") throw new KnownError(MISSING)
    if (this.#error !== null) throw this.#error
    if (this.child.exitCode !== 0) throw new GitError(this.#command, this.#said.trim())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL")
    await this.#ended
  }
}

/** The output of a short command. @throws GitError; KnownError when git isn't installed */
export async function git(args: readonly [string, ...string[]], options: GitOptions): Promise<string> {
  await using running = new GitProcess(args, options)
  running.child.stdin.end()
  let answer = ""
  for await (const chunk of running.child.stdout as AsyncIterable<Buffer>)
    if (answer.length < MAX_ANSWER) answer += chunk.toString()
  await running.end()
  return answer.trim()
}

/** The null-terminated pieces of a command's output, one batch at a time. The command is stopped when the caller stops reading. @throws as {@link git} */
export async function* gitPieces(
  args: readonly [string, ...string[]],
  options: GitOptions,
): AsyncGenerator<readonly string[]> {
  await using running = new GitProcess(args, options)
  running.child.stdin.end()
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of running.child.stdout as AsyncIterable<Buffer>) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = all.lastIndexOf(0)
    rest = all.subarray(end + 1)
    if (end >= 0) yield all.toString("utf8", 0, end).split("\0")
  }
  await running.end()
}

/** Checks that git is installed. @throws KnownError when git isn't installed */
export async function requireGit(): Promise<void> {
  await git(["version"], {})
}
