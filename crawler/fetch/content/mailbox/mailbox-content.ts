import { createHash } from "node:crypto"
import { lstat } from "node:fs/promises"
import { KnownError } from "#base/errors.ts"
import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"
import type { FetchResult } from "../../fetch.ts"
import { codeOf } from "../../network-error.ts"
import type {
  Content,
  ContentEntry,
  ContentListOptions,
  ContentLoadOptions,
  ContentReach,
} from "../content.ts"
import { typeByEnding } from "../file-type.ts"
import { AT_ONCE } from "../folder/walk.ts"
import { failed, gone, tooLarge } from "../results.ts"
import { Troubles } from "../troubles.ts"
import type { MailCopy } from "./imap/mail-copy.ts"
import { lookThrough, rawMessage } from "./look-through.ts"
import { mailFiles } from "./mail-files.ts"
import type { MailStore, PlacedMessage, ThreadPage } from "./mail-store.ts"
import { ownText, SaidBefore } from "./own-text.ts"
import { type ReadMessage, readMessage } from "./read-message.ts"
import { type ShownMessage, threadPage } from "./thread-page.ts"

/**
 * The threads of a mailbox, as pages below an address, and the files attached to their messages: `<thread>.html`, and
 * `<thread>/<message>/<number>/report.pdf`.
 */
export class MailboxContent implements Content {
  readonly noun = "page"
  readonly place: string
  readonly #source: string
  /** `null` if the mailbox is on this machine. */
  readonly #copy: MailCopy | null
  readonly #path: string
  readonly #address: string
  readonly #store: MailStore | null

  /**
   * @param at absolute path, or the local copy of a mailbox on a server
   * @param address ends with `/`
   * @param store null if the mailbox can only be watched
   */
  constructor(source: string, at: string | MailCopy, address: string, store: MailStore | null) {
    this.#copy = typeof at === "string" ? null : at
    this.#path = typeof at === "string" ? at : ""
    this.place = typeof at === "string" ? at : at.place
    this.#source = source
    this.#address = address
    this.#store = store
  }

  get #root(): string {
    return this.#copy?.root ?? this.#path
  }

  async check(): Promise<void> {
    if (this.#copy === null) await this.#requireMail()
  }

  async open(reach: ContentReach): Promise<void> {
    await this.#copy?.update(reach)
    await this.#requireMail()
  }

  /** An unmounted share is either missing or an empty folder; an mbox is empty while a program is rewriting it. */
  async #requireMail(): Promise<void> {
    const trouble = await this.#trouble()
    if (trouble !== null) throw new KnownError(trouble)
  }

  async *list({ signal, onTrouble }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    await this.#requireMail()
    const troubles = await this.#look(signal)
    if (signal.aborted) return
    for await (const pages of this.#known.pages(this.#source)) {
      if (signal.aborted) return
      yield pages.flatMap((page) => this.#entry(pagePath(page), page.version, page.chars))
    }
    for await (const messages of this.#known.attached(this.#source)) {
      if (signal.aborted) return
      yield messages.flatMap(({ thread, key, attached, seenAt }) =>
        attached.flatMap(({ name, bytes }, at) =>
          this.#entry(filePath(thread, key, at, name), seenAt, bytes),
        ),
      )
    }
    const unread = new Troubles()
    for (const trouble of troubles) unread.add(trouble)
    if (!unread.isEmpty) await onTrouble(`not readable in ${this.place}: ${unread.toString()}`)
  }

  async fingerprint(): Promise<string> {
    const trouble = await this.#trouble()
    if (trouble !== null) return trouble
    const print = createHash("sha256")
    try {
      for await (const { files, troubles } of mailFiles(this.#root, AT_ONCE)) {
        for (const { path, changedAt, bytes } of files) print.update(`${path}\0${changedAt}\0${bytes}\0`)
        for (const { note } of troubles) print.update(`${note}\0`)
      }
    } catch (error) {
      return codeOf(error as Error)
    }
    return print.digest("base64url")
  }

  async load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult> {
    const part = partOf(url, this.#address)
    if (part === null) return gone("no thread in the mailbox has this address")
    try {
      for (const isLast of [false, true]) {
        const result =
          "page" in part ? await this.#thread(url, part, options) : await this.#file(url, part, options)
        if (result !== null && !(result.kind === "skipped" && result.because === "gone" && !isLast))
          return result
        // Only runs update the copy and its index.
        if (this.#copy !== null) return result ?? failed("refused", NOT_COPIED)
        const trouble = await this.#trouble()
        if (trouble !== null) return failed("refused", trouble)
        if (!isLast) await this.#look(options.signal)
      }
      return failed("refused", "the mailbox changed while it was being read")
    } catch (error) {
      return await this.#failure(error as Error)
    }
  }

  get #known(): MailStore {
    if (this.#store === null) throw new Error("reading a mailbox requires the state, which stores its index")
    return this.#store
  }

  async #look(signal: AbortSignal | undefined): Promise<string[]> {
    try {
      return await lookThrough(this.#known, { source: this.#source, root: this.#root, signal })
    } catch (error) {
      const code = codeOf(error as Error)
      if (code === "") throw error
      throw new KnownError(this.#unreadable(code), { cause: error })
    }
  }

  #entry(path: string, changedAt: number, bytes: number): ContentEntry[] {
    const url = toPageUrl(this.#address + path)
    return url === null ? [] : [{ url, changedAt, bytes }]
  }

  /** A page of a thread; `null` if one of its messages was moved. */
  async #thread(
    url: PageUrl,
    { thread, page }: ThreadPart,
    options: ContentLoadOptions,
  ): Promise<FetchResult | null> {
    const { validators, maxBytes, memory, signal } = options
    const known = await this.#known.page(this.#source, thread, page)
    if (known === null) return gone("none of its messages are in the mailbox any more")
    const members = await this.#known.messagesOf(this.#source, thread, page)
    const times = members.flatMap(({ sentAt }) => sentAt ?? [])
    const headers = {
      etag: `"${known.version}"`,
      "content-type": "text/html; charset=utf-8",
      ...(times.length > 0 && { "last-modified": new Date(Math.max(...times)).toUTCString() }),
    }
    if (validators?.etag === headers.etag) return { kind: "not-modified", url, headers }
    const said = new SaidBefore()
    const shown: ShownMessage[] = []
    let first: ReadMessage | null = null
    for (const member of members) {
      if (signal?.aborted) return failed("cancelled", "the crawl was stopped")
      const message = await this.#read(member, options)
      if (message === null) return null
      first ??= message
      shown.push(shownMessage(member, message, said, thread))
    }
    if (first === null) return null
    const title = titleOf(first.subject, page)
    const body = new TextEncoder().encode(threadPage(title, shown))
    if (body.byteLength > maxBytes) return tooLarge(body.byteLength, maxBytes)
    await memory?.reserve(body.byteLength)
    const publishedAt = members[0]!.sentAt
    const facts = {
      title,
      author: first.from === "" ? null : first.from,
      ...(publishedAt !== null && { publishedAt: new Date(publishedAt) }),
    }
    return { kind: "fetched", url, status: 200, headers, body, facts }
  }

  async #file(url: PageUrl, part: FilePart, options: ContentLoadOptions): Promise<FetchResult | null> {
    const { validators, maxBytes, memory } = options
    const message = await this.#known.message(this.#source, part.thread, part.key)
    const entry = message?.attached[part.number]
    if (message === null || entry?.name !== part.name)
      return gone("its message is not in the mailbox any more")
    const headers = {
      etag: `"${message.sum}"`,
      "content-type": typeByEnding(part.name),
      ...(message.sentAt !== null && { "last-modified": new Date(message.sentAt).toUTCString() }),
    }
    if (validators?.etag === headers.etag) return { kind: "not-modified", url, headers }
    if (entry.bytes > maxBytes) return tooLarge(entry.bytes, maxBytes)
    const read = await this.#read(message, options)
    const file = read?.attachments[part.number]
    if (file === undefined) return null
    await memory?.reserve(file.content.byteLength)
    const facts = message.sentAt === null ? {} : { publishedAt: new Date(message.sentAt) }
    return { kind: "fetched", url, status: 200, headers, body: new Uint8Array(file.content), facts }
  }

  /** A message; `null` if it was moved. */
  async #read(message: PlacedMessage, { memory }: ContentLoadOptions): Promise<ReadMessage | null> {
    await memory?.reserve(message.length)
    try {
      const raw = await rawMessage(this.#root, message)
      if (raw !== null) return await readMessage(raw)
      await this.#known.doubt(this.#source, message.file)
      return null
    } catch (error) {
      if (codeOf(error as Error) === "ENOENT") return null
      throw error
    }
  }

  async #failure(error: Error): Promise<FetchResult> {
    if (error instanceof KnownError) return failed("refused", error.message)
    const code = codeOf(error)
    if (code === "") throw error
    if (code === "EACCES" || code === "EPERM")
      return { ...failed("http-status", "Fossick has no permission to read the mailbox", false), status: 403 }
    return failed("refused", (await this.#trouble()) ?? `the mailbox cannot be read (${code})`)
  }

  /** Why the mailbox cannot be read now, for people; `null` if it can. */
  async #trouble(): Promise<string | null> {
    try {
      const stats = await lstat(this.#root)
      if (!stats.isDirectory())
        return stats.isFile() && stats.size > 0 ? null : `The mailbox ${this.#root} is empty.${MOUNT}`
      for await (const { files, troubles } of mailFiles(this.#root))
        if (files.length > 0 || troubles.length > 0) return null
      return `The mailbox ${this.place} contains no messages.${this.#hint}`
    } catch (error) {
      return this.#unreadable(codeOf(error as Error))
    }
  }

  get #hint(): string {
    return this.#copy === null ? MOUNT : ""
  }

  #unreadable(code: string): string {
    const what = this.#copy === null ? "The mailbox" : "The copy of the mailbox"
    return `${what} ${this.place} cannot be read (${code}).${this.#hint}`
  }
}

const MOUNT = " If it is on a share, mount the share."
const NOT_COPIED = "this machine's copy of the mailbox doesn't have this message; the next run will fetch it"

interface ThreadPart {
  readonly thread: string
  readonly page: number
}

interface FilePart {
  readonly thread: string
  readonly key: string
  readonly number: number
  readonly name: string
}

const pagePath = ({ thread, page }: Pick<ThreadPage, "thread" | "page">): string =>
  `${thread}${page === 1 ? "" : `-${page}`}.html`

const filePath = (thread: string, key: string, number: number, name: string): string =>
  `${thread}/${key}/${number + 1}/${encodeURIComponent(name)}`

/** The page or the file at an address; `null` if it is neither. */
function partOf(url: string, address: string): ThreadPart | FilePart | null {
  if (!url.startsWith(address)) return null
  const path = url.slice(address.length)
  const [, ofPage, page] = /^([0-9a-f]{20})(?:-([1-9]\d{0,5}))?\.html$/.exec(path) ?? []
  if (ofPage !== undefined) return { thread: ofPage, page: Number(page ?? 1) }
  const [, thread, key, number, name] =
    /^([0-9a-f]{20})\/([0-9a-f]{20})\/([1-9]\d{0,5})\/([^/?#]+)$/.exec(path) ?? []
  if (thread === undefined) return null
  try {
    return { thread, key: key!, number: Number(number) - 1, name: decodeURIComponent(name!) }
  } catch {
    return null
  }
}

function shownMessage(
  { key, sentAt, attached }: PlacedMessage,
  { from, text }: ReadMessage,
  said: SaidBefore,
  thread: string,
): ShownMessage {
  return {
    key,
    from,
    sentAt,
    blocks: ownText(text, said),
    attached: attached.map(({ name, bytes }, at) => ({ name, bytes, href: filePath(thread, key, at, name) })),
  }
}

/** `Re: ` in the languages of many programs, after the prefix that a mailing list adds. */
const REPLY =
  /^\s*((?:\[[^\]]{1,60}\]\s*)?)(?:(?:re|aw|antw|sv|vs|odp|tr|fwd?|wg|rif|res|enc|ynt|doorst|回复|答复|转发)(?:\[\d+\])?\s*[:：]\s*)+/i

function titleOf(subject: string, page: number): string {
  const title = subject.replace(REPLY, "$1").trim() || subject.trim() || "No subject"
  return page === 1 ? title : `${title} (part ${page})`
}
