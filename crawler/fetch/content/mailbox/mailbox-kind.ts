import { open, readdir, stat } from "node:fs/promises"
import { isAbsolute, resolve } from "node:path"
import type { StateStore } from "#base/store/state-store.ts"
import { atOneAddress } from "../addresses-below.ts"
import type { ContentKind } from "../content.ts"
import { mailboxName } from "./mail-files.ts"
import { MailStore } from "./mail-store.ts"
import { MailboxContent } from "./mailbox-content.ts"

const stores = new WeakMap<StateStore, MailStore>()

/** What is known of the mailboxes of a state. Asked for often. */
function mailIn(db: StateStore): MailStore {
  const store = stores.get(db) ?? new MailStore(db)
  stores.set(db, store)
  return store
}

/** The threads of a mailbox. */
export const MAILBOX: ContentKind = {
  field: "mailbox",
  problems: (spec) => [
    ...(isAbsolute(spec.mailbox!)
      ? []
      : [{ path: ["mailbox"], message: "must be an absolute path, such as /var/mail/ada or /srv/Maildir" }]),
    ...atOneAddress(spec, "the threads"),
  ],
  make: ({ name, mailbox, seeds: [address] }, { db }) =>
    new MailboxContent(name, mailbox!, address!, db && mailIn(db)),
  async recognize(start) {
    // A bare name is a host.
    if (!/^(?:[./\\]|[a-z]:[/\\])/i.test(start)) return null
    const mailbox = resolve(start)
    return (await isMailbox(mailbox)) ? { fields: { mailbox }, name: mailboxName(mailbox) } : null
  },
}

/** An mbox, a Maildir, or a folder of nothing but files with messages. */
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
