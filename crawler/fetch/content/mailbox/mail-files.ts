import type { Dirent, Stats } from "node:fs"
import { basename, join } from "node:path"
import { codeOf } from "../../network-error.ts"
import { changedAt, type FileSystem, filesOf, LATER } from "../folder/walk.ts"

/** A file that contains messages. */
export interface MailFile {
  /** The file's path within the mailbox, without flags. Empty if the mailbox consists of this one file. */
  readonly path: string
  /** The file's current path from the root of the mailbox. */
  readonly file: string
  readonly isMbox: boolean
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** The files of one folder of a mailbox that contain messages. */
export interface FoundMail {
  readonly files: readonly MailFile[]
  /** Folders and files that could not be read, and why. */
  readonly troubles: readonly { readonly path: string; readonly note: string }[]
}

/** Maximum depth: folders nested more deeply are not searched. */
const MAX_DEPTH = 20
const CHUNK = 500
/** Parts of a Maildir. */
const PARTS = ["new", "cur"]

/**
 * Folders for trash, spam and unsent mail, by the names that mail programs give them in the most widely supported
 * languages.
 */
const LEFT_OUT = new RegExp(
  `^(?:${[
    "spam|junk(?: e-?mail| mail)?|bulk(?: mail)?|unerwünscht|spamverdacht|indésirables?|courrier indésirable|pourriels?|correo no deseado|posta indesiderata|ongewenst|niechciane|спам|垃圾邮件|迷惑メール",
    "trash|deleted(?: items| messages)?|bin|papierkorb|gelöscht(?:e elemente|e objekte)?|corbeille|éléments supprimés|papelera|elementos eliminados|cestino|posta eliminata|prullenbak|verwijderde items|lixeira|lixo|kosz|корзина|удаленные|已删除邮件|ゴミ箱",
    "drafts?|templates|outbox|unsent messages|entwürfe|vorlagen|postausgang|brouillons|borradores|bozze|concepten|rascunhos|kopie robocze|szkice|черновики|草稿箱|下書き",
  ].join("|")})$`,
  "i",
)

/** Whether a folder with this name, or with this path of names in a Maildir (`.Archive.Trash`), is left out. */
export const isLeftOut = (name: string): boolean =>
  name
    .replace(/\.(?:mbox|sbd)$/i, "")
    .split(".")
    .some((part) => LEFT_OUT.test(fromImapName(part).normalize("NFC")))

/** Decodes a folder name in IMAP's UTF-7 (RFC 3501 §5.1.3), which Maildirs use too: `Entw&APw-rfe`. */
function fromImapName(name: string): string {
  return name.replaceAll(/&([A-Za-z0-9+,]*)-/g, (_, code: string) => {
    if (code === "") return "&"
    const units = Buffer.from(code.replaceAll(",", "/"), "base64")
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString("utf16le")
  })
}

/**
 * All files of a mailbox that contain messages, folder by folder: one mbox file; a Maildir with its subfolders; or the
 * `.eml` and `.mbox` files of a folder and its subfolders. Links, hidden files, the folders of {@link isLeftOut}, and
 * messages that a Maildir flags as drafts or deleted are left out.
 * @throws the file system's error if the root cannot be read
 */
export async function* mailFiles(root: string, system: FileSystem = LATER): AsyncGenerator<FoundMail> {
  const stats = await system.lstat(root)
  if (!stats.isDirectory()) {
    const isMbox = !root.toLowerCase().endsWith(".eml")
    yield { files: [fileOf("", "", stats, isMbox)], troubles: [] }
    return
  }
  const waiting = [""]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    let entries: Dirent[]
    try {
      entries = await system.readdir(join(root, folder))
    } catch (error) {
      if (folder === "") throw error
      if (codeOf(error as Error) !== "ENOENT") yield { files: [], troubles: [trouble(folder, error)] }
      continue
    }
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    const isMaildir = PARTS.every((part) => folders.includes(part))
    if (isMaildir) yield* maildirFiles(root, folder, system)
    else yield* looseFiles(root, folder, entries, system)
    const inner = folders.filter(
      (name) =>
        !isLeftOut(name) &&
        !(isMaildir && [...PARTS, "tmp"].includes(name)) &&
        // Subfolders of a Maildir begin with a dot; elsewhere a dot marks a hidden folder.
        (isMaildir ? name !== "." : !name.startsWith(".")),
    )
    if (folder.split("/").length < MAX_DEPTH)
      waiting.push(
        ...inner
          .toSorted()
          .toReversed()
          .map((name) => join(folder, name)),
      )
  }
}

/** The messages of one folder of a Maildir. */
async function* maildirFiles(root: string, folder: string, system: FileSystem): AsyncGenerator<FoundMail> {
  const named = new Map<string, string>()
  for (const part of PARTS) {
    try {
      for (const entry of await system.readdir(join(root, folder, part))) {
        if (!entry.isFile() || entry.name.startsWith(".")) continue
        const [unique = "", flags = ""] = entry.name.split(/[:;!]2,/)
        // Flags of drafts, and of messages that are marked as deleted.
        if (!/[DT]/.test(flags)) named.set(join(folder, unique), join(part, entry.name))
      }
    } catch (error) {
      yield { files: [], troubles: [trouble(folder, error)] }
      return
    }
  }
  const byName = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))
  yield* looked(root, folder, byName, system, ({ mtimeMs }) => Math.floor(mtimeMs))
}

async function* looseFiles(
  root: string,
  folder: string,
  entries: readonly Dirent[],
  system: FileSystem,
): AsyncGenerator<FoundMail> {
  const names = entries
    .filter(
      (entry) => entry.isFile() && /^[^.].*\.(?:eml|mbox)$/is.test(entry.name) && !isLeftOut(entry.name),
    )
    .map(({ name }) => name)
  const named = names.toSorted().map((name) => [join(folder, name), name] as const)
  yield* looked(root, folder, named, system, changedAt)
}

async function* looked(
  root: string,
  folder: string,
  named: readonly (readonly [path: string, name: string])[],
  system: FileSystem,
  changed: (stats: Stats) => number,
): AsyncGenerator<FoundMail> {
  for (let from = 0; from < named.length; from += CHUNK) {
    const some = named.slice(from, from + CHUNK)
    const pathOf = new Map(some.map(([path, name]) => [name, path]))
    const { files, troubles } = await filesOf(
      root,
      folder === "" ? [] : folder.split("/"),
      some.map(([, name]) => ({ name })),
      system,
    )
    yield {
      files: files.map(({ path, stats }) => {
        const file = path.join("/")
        const name = folder === "" ? file : file.slice(folder.length + 1)
        const own = pathOf.get(name)!
        return { ...fileOf(own, file, stats, /\.mbox$/i.test(own)), changedAt: changed(stats) }
      }),
      troubles: troubles.map((note) => ({ path: folder, note })),
    }
  }
}

const fileOf = (path: string, file: string, stats: Stats, isMbox: boolean): MailFile => ({
  path,
  file,
  isMbox,
  bytes: stats.size,
  changedAt: changedAt(stats),
})

const trouble = (path: string, error: unknown) => ({
  path,
  note: `${path === "" ? "." : path} (${codeOf(error as Error) || (error as Error).message})`,
})

/** The name of a mailbox's file or folder, used to name its source. */
export const mailboxName = (path: string): string => basename(path).replace(/\.(?:mbox|mbx|eml)$/i, "")
