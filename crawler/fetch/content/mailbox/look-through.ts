import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../../network-error.ts"
import { fill, OPEN_UNLINKED } from "../read-file.ts"
import { type MailFile, mailFiles } from "./mail-files.ts"
import { MAX_MESSAGE_BYTES, mboxMessages } from "./mbox.ts"
import type { MailStore, PlacedMessage, ReadFile, StoredMessage } from "./mail-store.ts"
import { identityOf } from "./raw-message.ts"
import { readMessage } from "./read-message.ts"

/** Number of messages of an mbox that are stored at a time. */
const AT_A_TIME = 200
/** Number of files that are read in parallel. */
const FILES_AT_A_TIME = 8

export interface LookOptions {
  readonly source: string
  readonly root: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Updates the index of a mailbox: reads new and changed files, reads only the added part of an mbox that grew, and
 * sorts the messages into threads again if any changed.
 * @returns notes for people about the files that could not be read, with the error codes
 * @throws the file system's error if the mailbox cannot be read
 */
export async function lookThrough(store: MailStore, options: LookOptions): Promise<string[]> {
  const { source, root, signal } = options
  const known = await store.files(source)
  const gone = new Set(known.keys())
  const troubles: string[] = []
  for await (const found of mailFiles(root)) {
    for (const { path } of found.files) gone.delete(path)
    for (let from = 0; from < found.files.length; from += FILES_AT_A_TIME) {
      if (signal?.aborted) return troubles
      const some = found.files.slice(from, from + FILES_AT_A_TIME)
      const looks = some.map((file) => look(store, options, file, known.get(file.path)))
      for (const [index, result] of (await Promise.allSettled(looks)).entries()) {
        if (result.status === "fulfilled") continue
        const code = codeOf(result.reason as Error)
        if (code === "") throw result.reason
        // The file was moved after it was listed; the next pass finds it.
        if (code !== "ENOENT") troubles.push(`${some[index]!.file} (${code})`)
      }
    }
    for (const { path, note } of found.troubles) {
      troubles.push(note)
      // Files that cannot be listed may still be there.
      for (const one of gone) if (one.startsWith(path === "" ? "" : `${path}/`)) gone.delete(one)
    }
  }
  // Done last, so that a moved message is still known when it is found in its new location.
  await store.forget(source, [...gone])
  await store.sort(source)
  return troubles
}

async function look(
  store: MailStore,
  { source, root, signal }: LookOptions,
  file: MailFile,
  before: ReadFile | undefined,
): Promise<void> {
  if (before?.bytes === file.bytes && before.changedAt === file.changedAt) {
    if (before.file !== file.file)
      await store.readFile(source, { file, from: BEHIND_ALL, all: new Set() }, [])
    return
  }
  await using handle = await open(join(root, file.file), OPEN_UNLINKED)
  if (!(await handle.stat()).isFile()) return
  const reader = new FileLook(store, source, file)
  if (!file.isMbox) {
    const raw = await readPart(handle, 0, Math.min(file.bytes, MAX_MESSAGE_BYTES))
    await reader.add({ at: 0, length: file.bytes, raw })
    await reader.end(0)
    return
  }
  const from = await reader.begin(handle, before)
  for await (const message of mboxMessages(handle, from, file.bytes)) {
    if (signal?.aborted) return
    await reader.add(message)
  }
  await reader.end(from)
}

/** A position that is after every message. */
const BEHIND_ALL = Number.MAX_SAFE_INTEGER

/** One pass over a file with messages. */
class FileLook {
  readonly #store: MailStore
  readonly #source: string
  readonly #file: MailFile
  readonly #all = new Set<number>()
  /** The messages known before, by key and checksum. */
  readonly #before = new Map<string, StoredMessage>()
  #found: StoredMessage[] = []

  constructor(store: MailStore, source: string, file: MailFile) {
    this.#store = store
    this.#source = source
    this.#file = file
  }

  /** @returns the position to start at; if the file only grew, that of the last known message, which may have been incomplete */
  async begin(handle: FileHandle, before: ReadFile | undefined): Promise<number> {
    const messages = before === undefined ? [] : await this.#store.messagesIn(this.#source, this.#file.path)
    for (const message of messages) this.#before.set(`${message.key} ${message.sum}`, message)
    const last = messages.at(-1)
    if (last === undefined || before!.bytes === 0 || this.#file.bytes <= before!.bytes) return 0
    const raw = await readPart(handle, last.at, Math.min(last.length, MAX_MESSAGE_BYTES))
    return identityOf(raw, last.length).sum === last.sum ? last.at : 0
  }

  async add({ at, length, raw }: { at: number; length: number; raw: Buffer }): Promise<void> {
    const identity = identityOf(raw, length)
    const { key, sum } = identity
    const before = this.#before.get(`${key} ${sum}`) ?? (await this.#store.known(this.#source, identity))
    const { path } = this.#file
    this.#all.add(at)
    if (before !== null) this.#found.push({ ...before, ...identity, path, at, length })
    else {
      const { text, attachments } = await readMessage(raw)
      this.#found.push({
        ...identity,
        path,
        at,
        length,
        chars: text.length,
        // If the message was cut off, all missing bytes are added to the size of an attachment.
        attached: attachments.map(({ name, content }) => ({
          name,
          bytes: raw.length < length ? Math.max(content.byteLength, length - raw.length) : content.byteLength,
        })),
        seenAt: Date.now(),
        thread: await this.#store.threadOf(this.#source, key),
      })
    }
    if (this.#found.length < AT_A_TIME) return
    await this.#store.put(this.#source, this.#found)
    this.#found = []
  }

  async end(from: number): Promise<void> {
    await this.#store.readFile(this.#source, { file: this.#file, from, all: this.#all }, this.#found)
  }
}

/**
 * The bytes of a message in its file; `null` if they are no longer there.
 * @throws the file system's error if the file cannot be read
 */
export async function rawMessage(
  root: string,
  { file, at, length, sum }: PlacedMessage,
): Promise<Buffer | null> {
  await using handle = await open(join(root, file), OPEN_UNLINKED)
  const stats = await handle.stat()
  if (!stats.isFile() || stats.size < at + length) return null
  const raw = await readPart(handle, at, Math.min(length, MAX_MESSAGE_BYTES))
  return identityOf(raw, length).sum === sum ? raw : null
}

async function readPart(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, await fill(handle, buffer, at))
}
