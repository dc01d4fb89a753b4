import { Serial } from "#base/flow/serial.ts"
import { GitError, GitProcess, type GitOptions } from "./git.ts"

/** Milliseconds after which an idle process ends, so that callers don't have to close it. */
const IDLE_MS = 1000
const LINE_END = 10

/** Reads blobs from a repository one after the other, through one process. */
export class Blobs {
  readonly #options: GitOptions
  readonly #turns = new Serial()
  #reading: Reading | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(options: GitOptions) {
    this.#options = options
  }

  /** The bytes of a blob; `null` if the repository doesn't have it. @throws GitError; KnownError when git isn't installed */
  async read(blob: string): Promise<Uint8Array | null> {
    return await this.#turns.run(async () => {
      clearTimeout(this.#idle)
      const reading = (this.#reading ??= new Reading(this.#options))
      try {
        return await reading.read(blob)
      } catch (error) {
        this.#reading = null
        await reading.end()
        throw error
      } finally {
        this.#idle = setTimeout(() => {
          const idle = this.#reading
          this.#reading = null
          void idle?.end()
        }, IDLE_MS)
      }
    })
  }
}

/** A running `git cat-file --batch`: for each name written to it, it prints a line and the blob's bytes. */
class Reading {
  readonly #process: GitProcess
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(options: GitOptions) {
    this.#process = new GitProcess(["cat-file", "--batch"], options)
    this.#chunks = (this.#process.child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  async read(blob: string): Promise<Uint8Array | null> {
    this.#process.child.stdin.write(`${blob}\n`)
    let end: number
    while ((end = this.#rest.indexOf(LINE_END)) < 0)
      this.#rest = Buffer.concat([this.#rest, await this.#next()])
    const [, type, size] = this.#rest.toString("utf8", 0, end).split(" ")
    this.#rest = this.#rest.subarray(end + 1)
    if (type !== "blob") return null
    const bytes = new Uint8Array(Number(size))
    await this.#fill(bytes)
    await this.#fill(new Uint8Array(1))
    return bytes
  }

  async end(): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }

  async #fill(bytes: Uint8Array): Promise<void> {
    for (let filled = 0; filled < bytes.length;) {
      if (this.#rest.length === 0) this.#rest = await this.#next()
      const part = this.#rest.subarray(0, bytes.length - filled)
      bytes.set(part, filled)
      filled += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next()
    if (done !== true) return value
    await this.#process.end()
    throw new GitError("cat-file", "it ended too early")
  }
}
