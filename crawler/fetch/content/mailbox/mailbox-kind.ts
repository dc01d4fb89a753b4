import { open, readdir, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { KnownError } from "#base/errors.ts"
import { dataFolderOf } from "#base/store/state-store.ts"
import type { SourceSpec } from "../../../source.ts"
import { atOneAddress } from "../addresses-below.ts"
import type { ContentKind, RecognizedStart } from "../content.ts"
import { pathOf } from "../start-path.ts"
import { serverProblems } from "./imap/mail-server.ts"
import { mailboxName } from "./mail-files.ts"

/** The password of a proposed source: a reference to an environment variable. */
const PASSWORD = "${IMAP_PASSWORD}"
const EVERY_HOURS = 1

/** The threads of a mailbox. */
export const MAILBOX: ContentKind = {
  field: "mailbox",
  problems: (spec) => [...mailboxProblems(spec.mailbox!), ...atOneAddress(spec, "the threads")],
  watchedBy: ({ mailbox }) => (typeof mailbox === "string" ? "process" : null),
  async make({ name, mailbox, seeds: [address] }, { db }) {
    const [{ MailboxContent }, { mailIn }, { MailCopy }] = await Promise.all([
      import("./mailbox-content.ts"),
      import("./mail-store.ts"),
      import("./imap/mail-copy.ts"),
    ])
    const at = typeof mailbox === "object" ? new MailCopy(db && dataFolderOf(db), name, mailbox!) : mailbox!
    return new MailboxContent(name, at, address!, db && mailIn(db))
  },
  async recognize(start) {
    if (/^imaps?:\/\//i.test(start)) return onServer(start)
    const mailbox = pathOf(start)
    return mailbox !== null && (await isMailbox(mailbox))
      ? { fields: { mailbox }, name: mailboxName(mailbox) }
      : null
  },
}

function mailboxProblems(mailbox: NonNullable<SourceSpec["mailbox"]>): ReturnType<ContentKind["problems"]> {
  if (typeof mailbox === "object") return serverProblems(mailbox)
  if (isAbsolute(mailbox)) return []
  const message =
    "must be an absolute path, such as /var/mail/ada or /srv/Maildir; for a server, put fields under mailbox"
  return [{ path: ["mailbox"], message }]
}

/** Parses `imaps://ada@mail.example.com`, in which an `@` in the user's name is written as `%40`. */
function onServer(start: string): RecognizedStart {
  const url = URL.parse(start)
  if (url === null || url.username === "" || url.password !== "")
    throw new KnownError(
      `Give the server with the user but without the password, such as imaps://ada@mail.example.com. The password comes from ${PASSWORD}.`,
    )
  const user = decodeURIComponent(url.username)
  const server = `${url.protocol}//${url.host}`
  const mailbox = { server, user, password: PASSWORD }
  const [problem] = serverProblems(mailbox)
  if (problem !== undefined) throw new KnownError(`${start} ${problem.message}`)
  return { fields: { mailbox }, name: `${user}-mail`, schedule: { everyHours: EVERY_HOURS } }
}

/** Whether a path is an mbox, a single message, a Maildir, or a folder that contains only files with messages. */
async function isMailbox(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isFile()) return path.toLowerCase().endsWith(".eml") || (await beginsAsMbox(path))
    const names = (await readdir(path)).filter((name) => !name.startsWith("."))
    return (
      ["cur", "new", "tmp"].every((part) => names.includes(part)) ||
      (names.length > 0 && names.every((name) => /\.(?:eml|mbox)$/i.test(name)))
    )
  } catch {
    return false
  }
}

async function beginsAsMbox(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(5), 0, 5, 0)
  return buffer.toString("latin1", 0, bytesRead) === "From "
}
