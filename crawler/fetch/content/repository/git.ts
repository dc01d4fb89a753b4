import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { devNull } from "node:os"
import { KnownError } from "#base/errors.ts"
import { codeOf } from "../../network-error.ts"

/** A call of git that failed. What it said is for a log: it names files of this machine. */
export class GitError extends Error {
  readonly said: string

  constructor(command: string, said: string) {
    super(`git ${command} failed: ${said}`)
    this.name = "GitError"
    this.said = said
  }
}

export interface GitOptions {
  /** The bare repository that is worked in; left out: none. */
  readonly dir?: string
  /** Settings beside {@link SETTINGS}; nobody else on the machine sees them. */
  readonly settings?: Readonly<Record<string, string>>
  /** How other repositories may be reached: none, by relaying http on loopback, or as a folder. */
  readonly reaches?: "http" | "file"
  /** A file of settings that hold for the other end, too, when it is a folder. */
  readonly settingsFile?: string
  readonly signal?: AbortSignal | undefined
}

/** No setting of the machine counts, no question is asked, and no program but git is run. */
const SETTINGS = {
  "core.hooksPath": devNull,
  "core.fsmonitor": "false",
  "core.logAllRefUpdates": "false",
  "credential.helper": "",
  "fetch.recurseSubmodules": "false",
  // A pack for each fetch, which `gc --auto` joins, instead of thousands of files.
  "fetch.unpackLimit": "1",
  // A process in the background would work on without the lock.
  "gc.autoDetach": "false",
  "maintenance.autoDetach": "false",
  "http.followRedirects": "false",
  "http.proxy": "",
  // Memory grows with each thread, with what is compared, and with what is held whole.
  "pack.threads": "1",
  "pack.windowMemory": "100m",
  "core.bigFileThreshold": "16m",
}
/** Characters that are kept of what git says about a failure. */
const MAX_SAID = 2000
/** Characters of the answer to a short question. */
const MAX_ANSWER = 1_000_000

const MISSING =
  "Git is not installed where Fossick runs, so no repository can be read. Install it, such as with apt-get install git."

function environmentOf({ dir, settings, reaches, settingsFile }: GitOptions): NodeJS.ProcessEnv {
  const all = Object.entries({ ...SETTINGS, ...settings })
  const { PATH, TMPDIR, SystemRoot } = process.env
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    LC_ALL: "C",
    // Else the repository that Fossick may run in, such as its own, would count with its settings and remotes.
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
    // A name of no protocol, so that none is allowed.
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

/** A git that runs, with what it says of failures. */
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
    // It may end before it has read everything; its exit code says why.
    this.child.stdin.on("error", () => undefined)
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-MAX_SAID)
    })
    this.#ended = new Promise((resolve) => {
      this.child.once("close", resolve)
    })
  }

  /** Waits for its end. @throws GitError; KnownError when there is no git */
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

/** What a short command answers. @throws GitError; KnownError when there is no git */
export async function git(args: readonly [string, ...string[]], options: GitOptions): Promise<string> {
  await using running = new GitProcess(args, options)
  running.child.stdin.end()
  let answer = ""
  for await (const chunk of running.child.stdout as AsyncIterable<Buffer>)
    if (answer.length < MAX_ANSWER) answer += chunk.toString()
  await running.end()
  return answer.trim()
}

/** What a command answers in pieces that end with a null byte, some at a time; it is stopped when nobody wants more. @throws as {@link git} */
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

/** Ends when the process has started, or cannot be. @throws KnownError when there is no git */
export async function requireGit(): Promise<void> {
  await git(["version"], {})
}
