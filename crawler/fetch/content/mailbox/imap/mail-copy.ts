import { createHash } from "node:crypto"
import { mkdir, readdir, rename, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { FetchMessageObject, ImapFlow, ListResponse } from "imapflow"
import { KnownError } from "#base/errors.ts"
import type { MailServer } from "../../../../source.ts"
import type { ContentReach } from "../../content.ts"
import { copyFolder, withCopy } from "../../local-copy.ts"
import { isLeftOut } from "../mail-files.ts"
import { MAX_MESSAGE_BYTES } from "../mbox.ts"
import { inWords, logInAt, shownServer } from "./mail-server.ts"

/** Number of messages that one command fetches. */
const AT_A_TIME = 200
/** Special uses of folders (RFC 6154 §2) that are left out. Folders with all messages, or with flagged ones, only repeat messages from other folders. */
const SPECIAL_LEFT_OUT = ["\\Junk", "\\Trash", "\\Drafts", "\\All", "\\Flagged"]
const CANNOT_OPEN = ["\\Noselect", "\\NonExistent"]
const OURS = /^(\d+)\.eml$/

/**
 * Copies the messages of a mailbox on an IMAP server to local files, `<folder>/<UIDVALIDITY>/<UID>.eml`, which are read like any other
 * folder of mail. The mailbox is only read.
 */
export class MailCopy {
  /** The mailbox's name in messages to people. */
  readonly place: string
  readonly #mailbox: MailServer
  readonly #dir: string | null

  /** @param dataDir null if the copy has no folder, and only {@link place} is needed */
  constructor(dataDir: string | null, source: string, mailbox: MailServer) {
    this.place = shownServer(mailbox)
    this.#mailbox = mailbox
    this.#dir = dataDir === null ? null : copyFolder(dataDir, "mailboxes", source)
  }

  /** The folder that contains the messages. */
  get root(): string {
    return join(this.#needed, "messages")
  }

  get #needed(): string {
    if (this.#dir === null)
      throw new Error("reading a mailbox on a server requires a data folder for its copy")
    return this.#dir
  }

  /**
   * Fetches new messages, then removes the ones the server no longer has. A message keeps its number in its folder as long as
   * UIDVALIDITY stays the same (RFC 9051 §2.3.1.1); when it changes, the folder is fetched again.
   * @throws KnownError saying why the mailbox cannot be read; nothing is removed then
   */
  async update(reach: ContentReach): Promise<void> {
    await withCopy(this.#needed, async () => await this.#update(reach), reach.signal)
  }

  async #update(reach: ContentReach): Promise<void> {
    const client = await logInAt(this.#mailbox, reach)
    try {
      const gone: string[] = []
      const kept = new Set<string>()
      for (const folder of await this.#folders(client)) {
        const name = createHash("sha256").update(folder).digest("hex").slice(0, 20)
        kept.add(name)
        gone.push(...(await fetchFolder(client, folder, join(this.root, name))))
      }
      for (const name of await namesIn(this.root)) if (!kept.has(name)) gone.push(join(this.root, name))
      for (const path of gone) await rm(path, { recursive: true, force: true })
    } catch (error) {
      throw inWords(this.#mailbox, error as Error)
    } finally {
      client.close()
    }
  }

  /** The names of the folders to read. */
  async #folders(client: ImapFlow): Promise<string[]> {
    const all = (await client.list()).filter(({ flags }) => !CANNOT_OPEN.some((flag) => hasFlag(flags, flag)))
    const { folders } = this.#mailbox
    if (folders.length > 0)
      return folders.map((wanted) => {
        const isWanted = ({ path }: ListResponse) =>
          path === wanted || (path === "INBOX" && wanted.toUpperCase() === path)
        const found = all.find(isWanted)
        if (found !== undefined) return found.path
        const names = all.map(({ path }) => path).join(", ")
        throw new KnownError(`${this.place} has no folder ${wanted}. Its folders are: ${names}.`)
      })
    const chosen = all.filter((folder) => isChosen(folder, all))
    return (chosen.length > 0 ? chosen : all.filter(({ specialUse }) => specialUse === "\\All")).map(
      ({ path }) => path,
    )
  }
}

/** Whether a folder is read, depending on the names and uses of the folder and of the folders above it. */
function isChosen({ path, delimiter, specialUse }: ListResponse, all: readonly ListResponse[]): boolean {
  if (SPECIAL_LEFT_OUT.includes(specialUse ?? "")) return false
  const names = delimiter ? path.split(delimiter) : [path]
  if (names.some(isLeftOut)) return false
  return !all.some(
    (above) => ABOVE_LEFT_OUT.includes(above.specialUse ?? "") && path.startsWith(above.path + delimiter),
  )
}

/** Special uses of folders that are left out with everything inside them. Other folders that are left out, such as `\All`, can contain ordinary folders. */
const ABOVE_LEFT_OUT = ["\\Junk", "\\Trash", "\\Drafts"]

const hasFlag = (flags: ReadonlySet<string>, flag: string): boolean =>
  [...flags].some((one) => one.toLowerCase() === flag.toLowerCase())

/** Updates the copy of a folder. @returns paths of files that the mailbox no longer has */
async function fetchFolder(client: ImapFlow, folder: string, dir: string): Promise<string[]> {
  const { uidValidity } = await client.mailboxOpen(folder, { readOnly: true })
  const uids = await client.search({ deleted: false, draft: false }, { uid: true })
  if (!Array.isArray(uids))
    throw new KnownError(`The server didn't list the messages in the folder ${folder}.`)
  const at = join(dir, String(uidValidity))
  await mkdir(at, { recursive: true })
  const there = await namesIn(at)
  const had = new Set(there.map((name) => Number(OURS.exec(name)?.[1])))
  const missing = uids.filter((uid) => !had.has(uid))
  for (let from = 0; from < missing.length; from += AT_A_TIME) {
    const some = missing.slice(from, from + AT_A_TIME)
    const what = { uid: true, size: true, source: { start: 0, maxLength: MAX_MESSAGE_BYTES } }
    for await (const message of client.fetch(some, what, { uid: true })) await keep(at, message)
  }
  const wanted = new Set(uids.map((uid) => `${uid}.eml`))
  const older = (await namesIn(dir)).filter((name) => name !== String(uidValidity))
  return [
    ...there.filter((name) => !wanted.has(name)).map((name) => join(at, name)),
    ...older.map((name) => join(dir, name)),
  ]
}

/** Writes the whole file or nothing, even if this process is killed. */
async function keep(dir: string, { uid, size, source }: FetchMessageObject): Promise<void> {
  // The message was deleted a moment ago.
  if (source === undefined) return
  const part = join(dir, `.${uid}.part`)
  await writeFile(part, source, { flush: true })
  // The rest of a long message becomes a hole, so that the file has the right size.
  if (size !== undefined && size > source.length && source.length >= MAX_MESSAGE_BYTES)
    await truncate(part, size)
  await rename(part, join(dir, `${uid}.eml`))
}

const namesIn = async (dir: string): Promise<string[]> => {
  try {
    return await readdir(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}
