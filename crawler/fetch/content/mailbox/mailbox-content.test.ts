import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { type StateStore, openStateStore } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { defineSource } from "../../../source.ts"
import { watcherOf } from "../kinds.ts"
import { withoutSecrets } from "../../../sources/shown-source.ts"
import { Sources } from "../../../sources/sources.ts"
import { recognizeStart } from "../kinds.ts"
import { MAILBOX } from "./mailbox-kind.ts"
import { MailStore } from "./mail-store.ts"
import { sortThreads } from "./store/sort-threads.ts"
import { MailboxContent } from "./mailbox-content.ts"

const ADDRESS = "https://mail.example/ada/"
const MAILS = join(import.meta.dirname, "testing/mails")
const ALL = { maxBytes: 1_000_000 }

interface Mail {
  readonly id: string
  readonly refs?: readonly string[]
  readonly text?: string
  readonly files?: readonly string[]
}

function mail({ id, refs = [], text = `Text of ${id}.`, files = [] }: Mail): string {
  const parts = files.map(
    (name) =>
      `--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename="${name}"\n\nFile ${name} of ${id}\n`,
  )
  return [
    "From: Ada <ada@mail.example>",
    `Subject: Matter ${id}`,
    "Date: Thu, 1 Jan 2026 10:00:00 +0000",
    `Message-ID: <${id}@x>`,
    ...(refs.length > 0 ? [`References: ${refs.map((ref) => `<${ref}@x>`).join(" ")}`] : []),
    ...(files.length > 0
      ? ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", text, ...parts, "--b--"]
      : ["", text]),
    "",
  ].join("\n")
}

const LINE = "From ada@mail.example Thu Jan  1 10:00:00 2026\n"

/** A folder for a mailbox, together with a state. */
class Place implements AsyncDisposable {
  readonly #folder = temporaryFolder()
  #db: StateStore | null = null

  get db(): StateStore {
    return this.#db!
  }

  readonly root = join(this.#folder.path, "mail")

  static async open(files: Readonly<Record<string, string>>): Promise<Place> {
    const place = new Place()
    for (const [path, text] of Object.entries(files)) place.write(path, text)
    place.#db = await openStateStore(join(place.#folder.path, "data"))
    return place
  }

  at(path: string): string {
    return join(this.root, path)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  content(path = ""): MailboxContent {
    return new MailboxContent("ada", path === "" ? this.root : this.at(path), ADDRESS, new MailStore(this.db))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db?.ready()
    this.#db?.close()
    this.#folder[Symbol.dispose]()
  }
}

async function listed(content: MailboxContent) {
  const notes: string[] = []
  const options = {
    signal: new AbortController().signal,
    onTrouble: (note: string) => Promise.resolve(void notes.push(note)),
  }
  return { entries: (await Array.fromAsync(content.list(options))).flat(), notes }
}

/** The text of each page, or the kind of another result. */
async function loaded(content: MailboxContent): Promise<string[]> {
  const { entries } = await listed(content)
  return await Promise.all(
    entries.map(async ({ url }) => {
      const result = await content.load(url, ALL)
      return result.kind === "fetched" ? Buffer.from(result.body).toString() : `${result.kind} ${url}`
    }),
  )
}

/** The ids whose text is found, each repeated once per occurrence of its text. */
const found = (texts: readonly string[], ids: readonly string[]): string[] =>
  ids.flatMap((id) =>
    texts.flatMap((text) =>
      text
        .split(`Text of ${id}.`)
        .slice(1)
        .map(() => id),
    ),
  )

test("no messages are lost while another process sorts them into threads", async () => {
  await using place = await Place.open({ "1.eml": mail({ id: "a" }) })
  const store = new MailStore(place.db)
  const other = place.content()
  let isFirst = true
  const interrupted = new Proxy(place.db, {
    get(db, name) {
      const value: unknown = Reflect.get(db, name)
      if (name !== "transaction") return typeof value === "function" ? value.bind(db) : value
      return async (work: () => Promise<unknown>) => {
        if (isFirst) {
          isFirst = false
          place.write("2.eml", mail({ id: "b" }))
          await listed(other)
        }
        return await db.transaction(work)
      }
    },
  })
  store.sort = (source) => sortThreads(interrupted, source)
  await listed(new MailboxContent("ada", place.root, ADDRESS, store))
  expect((await listed(other)).entries).toHaveLength(2)
})

test("a thread is a page, and each attached file is one below it", async () => {
  const answer = mail({ id: "b", refs: ["a"], files: ["minutes & more.txt", "plan.pdf"] })
  await using place = await Place.open({ "1.eml": mail({ id: "a" }), "2.eml": answer })
  const content = place.content()
  const { entries } = await listed(content)
  const [thread, ...files] = entries.map(({ url }) => url)
  expect(thread).toMatch(/^https:\/\/mail\.example\/ada\/[0-9a-f]{20}\.html$/)
  const folder = thread!.replace(".html", "/")
  expect(files.map((url) => url.startsWith(folder))).toEqual([true, true])
  expect(files.map((url) => url.split("/").slice(-2).join("/"))).toEqual([
    "1/minutes%20%26%20more.txt",
    "2/plan.pdf",
  ])

  const page = await content.load(thread!, ALL)
  expect(page).toMatchObject({
    kind: "fetched",
    facts: { title: "Matter a", author: "Ada", publishedAt: new Date("2026-01-01T10:00:00Z") },
  })
  const file = await content.load(files[0]!, ALL)
  expect(file.kind === "fetched" && Buffer.from(file.body).toString().trim()).toBe(
    "File minutes & more.txt of b",
  )
  const etag = page.kind === "fetched" ? page.headers.etag! : ""
  expect(await content.load(thread!, { ...ALL, validators: { etag, lastModified: null } })).toMatchObject({
    kind: "not-modified",
  })
  expect(await content.load(files[1]!, { maxBytes: 5 })).toMatchObject({
    kind: "skipped",
    because: "too-large",
  })
  const others = [
    `${folder}x`,
    `${folder}1/plan.pdf`,
    files[1]!.replace("plan", "other"),
    `${ADDRESS}nothing.html`,
    `${ADDRESS}../x`,
  ]
  for (const url of others)
    expect([url, await content.load(url as PageUrl, ALL)]).toMatchObject([
      url,
      { kind: "skipped", because: "gone" },
    ])
})

test.each([
  ["Re: Fwd: The ferry", "The ferry"],
  ["AW: WG: The ferry", "The ferry"],
  ["[islands] Re: [islands] The ferry", "[islands] [islands] The ferry"],
  ["=?utf-8?q?Re=5B2=5D=3A_F=C3=A4hre?=", "Fähre"],
  ["Reply: when?", "Reply: when?"],
  ["Re:", "Re:"],
  ["", "No subject"],
])("a thread whose first message has the subject %s is called %s", async (subject, title) => {
  await using place = await Place.open({ "1.eml": `Message-ID: <a@x>\nSubject: ${subject}\n\nHello\n` })
  const content = place.content()
  const [entry] = (await listed(content)).entries
  expect(await content.load(entry!.url, ALL)).toMatchObject({ facts: { title } })
})

test("spam, trash, drafts and messages marked as deleted are left out", async () => {
  await using place = await Place.open(
    Object.fromEntries(
      [
        ["cur/1:2,S", "inbox"],
        ["new/2", "new"],
        ["cur/3:2,ST", "deleted"],
        ["cur/4:2,DS", "draft"],
        ["tmp/5", "arriving"],
        [".Archive.2025/cur/6:2,", "archive"],
        [".Junk/cur/7:2,S", "junk"],
        [".Archive.Trash/cur/8:2,S", "trash"],
        [".Entw&APw-rfe/cur/9:2,", "german draft"],
        [".&BCEEPwQwBDw-/cur/10:2,", "russian spam"],
        ["cur/.hidden", "hidden"],
        ["cur/dovecot.index/11", "index"],
      ].map(([path, id]) => [path!, mail({ id: id! })]),
    ),
  )
  for (const folder of ["", ".Archive.2025", ".Junk", ".Archive.Trash", ".Entw&APw-rfe", ".&BCEEPwQwBDw-"])
    for (const part of ["cur", "new"]) mkdirSync(place.at(join(folder, part)), { recursive: true })
  expect((await loaded(place.content())).map((text) => /Matter ([^<]*)/.exec(text)![1]!).toSorted()).toEqual([
    "archive",
    "inbox",
    "new",
  ])
})

test("marks, moves and copies change nothing, and no file is opened for them", async () => {
  await using place = await Place.open({
    "new/1.M1.host": mail({ id: "a", files: ["a.txt"] }),
    "cur/2.M1.host:2,S": mail({ id: "b", refs: ["a"] }),
    ".Archive/new/9": mail({ id: "other" }),
  })
  for (const folder of ["", ".Archive", ".Copies"])
    for (const part of ["cur", "new"]) mkdirSync(place.at(join(folder, part)), { recursive: true })
  utimesSync(place.at("cur/2.M1.host:2,S"), 1000, 1000)
  const content = place.content()
  const before = { ...(await listed(content)), print: await content.fingerprint() }
  // The text changes, but not the size or time of the file: the new text would show that the file was read again.
  const { size } = statSync(place.at("cur/2.M1.host:2,S"))
  writeFileSync(place.at("cur/2.M1.host:2,S"), "x".repeat(size))
  utimesSync(place.at("cur/2.M1.host:2,S"), 1000, 1000)
  renameSync(place.at("new/1.M1.host"), place.at("cur/1.M1.host:2,FRS"))
  expect({ ...(await listed(content)), print: await content.fingerprint() }).toEqual(before)

  writeFileSync(place.at("cur/2.M1.host:2,S"), mail({ id: "b", refs: ["a"] }))
  renameSync(place.at("cur/1.M1.host:2,FRS"), place.at(".Archive/cur/1.M1.host:2,FRS"))
  cpSync(place.at(".Archive/new/9"), place.at(".Copies/cur/77:2,S"))
  expect((await listed(content)).entries).toEqual(before.entries)
  expect(found(await loaded(content), ["a", "b", "other"])).toEqual(["a", "b", "other"])
})

test("only the added part of an mbox that grew is read, and all of one that changed otherwise", async () => {
  await using place = await Place.open({ box: `${LINE}${mail({ id: "a" })}\n${LINE}${mail({ id: "b" })}\n` })
  const content = place.content("box")
  const before = (await listed(content)).entries
  const text = readFileSync(place.at("box"), "utf8")
  // The length is the same, so only reading the whole file would reveal the change.
  writeFileSync(place.at("box"), text.replace("Text of a.", "Text of z."))
  appendFileSync(place.at("box"), `${LINE}${mail({ id: "c" })}\n`)
  const grown = (await listed(content)).entries
  expect(grown).toHaveLength(3)
  expect(grown).toEqual(expect.arrayContaining(before))
  // Loading the message reveals the change, and causes the file to be read again.
  expect(found(await loaded(content), ["a", "b", "c", "z"]).toSorted()).toEqual(["b", "c", "z"])

  writeFileSync(place.at("box"), `${LINE}${mail({ id: "c" })}\n${LINE}${mail({ id: "d" })}\n`)
  expect(found(await loaded(content), ["a", "b", "c", "d", "z"])).toEqual(["c", "d"])
})

test("a message moved after it was listed is found, and a deleted one takes its thread with it", async () => {
  await using place = await Place.open({
    "new/1": mail({ id: "a" }),
    "new/2": mail({ id: "b" }),
    "new/3": mail({ id: "c", refs: ["b"] }),
  })
  mkdirSync(place.at("cur"))
  const content = place.content()
  const { entries } = await listed(content)
  renameSync(place.at("new/1"), place.at("cur/1:2,S"))
  rmSync(place.at("new/3"))
  const results = await Promise.all(entries.map(({ url }) => content.load(url, ALL)))
  const texts = results.map((one) => (one.kind === "fetched" ? Buffer.from(one.body).toString() : one.kind))
  expect(found(texts, ["a", "b", "c"])).toEqual(["a", "b"])
  rmSync(place.at("new/2"))
  const after = await Promise.all(entries.map(({ url }) => content.load(url, ALL)))
  expect(after.map((one) => (one.kind === "skipped" ? one.because : one.kind)).toSorted()).toEqual([
    "fetched",
    "gone",
  ])

  renameSync(place.root, `${place.root}.away`)
  for (const { url } of entries)
    expect(await content.load(url, ALL)).toMatchObject({
      kind: "failed",
      because: "refused",
      transient: true,
    })
  expect(await content.fingerprint()).toContain("cannot be read")
  renameSync(`${place.root}.away`, place.root)
})

test("deleting a source with its pages deletes the index of its mailbox", async () => {
  await using place = await Place.open({ "1.eml": mail({ id: "a", files: ["a.txt"] }) })
  const sources = new Sources(place.db, new Jobs(place.db))
  await sources.put({ name: "ada", mailbox: place.root, seeds: [ADDRESS] }, "file")
  await listed(place.content())
  expect((await new MailStore(place.db).files("ada")).size).toBe(1)
  await sources.delete("ada", { origin: "file", removePages: true })
  const store = new MailStore(place.db)
  expect([await store.files("ada"), await store.messagesIn("ada", "1.eml")]).toEqual([new Map(), []])
})

test("a month of a mailing list has the same threads as Python finds in it", async () => {
  await using place = await Place.open({})
  cpSync(join(MAILS, "twisted-web-2015-11.mbox"), join(dirname(place.root), "list.mbox"))
  const list = place.content("../list.mbox")
  const pages = await loaded(list)
  expect(pages.map((text) => /<title>([^<]*)/.exec(text)![1]!).toSorted()).toEqual([
    "[Twisted-web] The End of Windows XP Support in Twisted 15.5",
    "[Twisted-web] Twisted 15.5 Prerelease 1 Announcement",
    "[Twisted-web] Twisted 15.5 Release Announcement",
    "[Twisted-web] Twisted 15.5.0 Prerelease 2 Announcement",
  ])
  const thread = pages.find((text) => text.includes("Prerelease 1"))!
  expect(thread.match(/<h2 [^>]*>[^<]*/g)!.map((heading) => heading.replace(/.*>/, ""))).toEqual([
    "Amber &quot;Hawkie&quot; Brown, ",
    "Glyph Lefkowitz, ",
  ])
  // The reply quotes the whole message.
  expect(thread.split("Hot off the presses")).toHaveLength(2)
  expect(thread).toContain("Fantastic job yet again")
  expect(thread).not.toContain("<blockquote>")
})

test("a mailbox is recognized by its files", async () => {
  await using place = await Place.open({
    "Maildir/cur/1:2,S": mail({ id: "a" }),
    "Maildir/new/2": mail({ id: "b" }),
    "Maildir/tmp/3": "",
    "letters/1.eml": mail({ id: "a" }),
    "notes/1.md": "# Note",
    "notes/2.eml": mail({ id: "a" }),
    "list.txt": `${LINE}${mail({ id: "a" })}`,
    "other.txt": "Text",
  })
  const known = async (path: string) => {
    const start = await recognizeStart(place.at(path))
    return [Object.keys(start?.fields ?? {})[0], start?.name]
  }
  expect(await known("Maildir")).toEqual(["mailbox", "Maildir"])
  expect(await known("letters")).toEqual(["mailbox", "letters"])
  expect(await known("list.txt")).toEqual(["mailbox", "list.txt"])
  expect(await known("notes")).toEqual(["folder", "notes"])
  expect(await known("nothing")).toEqual([undefined, undefined])
})

describe("a mailbox on a server", () => {
  const password = "${IMAP_PASSWORD}"
  const problemsOf = (server: string, secret = password) =>
    MAILBOX.problems({ seeds: [ADDRESS], mailbox: { server, user: "ada", password: secret } })

  test.each([
    ["https://mail.example", /such as imaps:/],
    ["mail.example", /such as imaps:/],
    ["imaps://ada:secret@mail.example", /must not contain a user or password/],
    ["imaps://mail.example/INBOX", /in the field folders/],
  ])("rejects the server %s", (server, message) => {
    expect(problemsOf(server)).toMatchObject([
      { path: ["mailbox", "server"], message: expect.stringMatching(message) },
    ])
  })

  test("never stores its password, only the name of the secret", () => {
    expect(problemsOf("imap://mail.example:1143", password)).toEqual([])
    const [problem] = problemsOf("imaps://mail.example", "hunter2")
    expect(problem).toMatchObject({ path: ["mailbox", "password"] })
    expect(problem!.message).not.toContain("hunter2")
    const mailbox = { server: "imaps://mail.example", user: "ada", password: "hunter2" }
    expect(JSON.stringify(withoutSecrets({ mailbox }))).not.toContain("hunter2")
  })

  test("is recognized by its address, with the user", async () => {
    expect(await recognizeStart("imaps://ada%40mail.example@mail.example:1993/")).toEqual({
      fields: { mailbox: { server: "imaps://mail.example:1993", user: "ada@mail.example", password } },
      name: "ada@mail.example-mail",
      schedule: { everyHours: 1 },
    })
    await expect(recognizeStart("imaps://mail.example")).rejects.toThrow("with the user")
  })

  test("is not watched for changes", () => {
    const mailbox = { server: "imaps://mail.example", user: "ada", password }
    expect(watcherOf(defineSource({ seeds: [ADDRESS], mailbox }))).toBeNull()
    expect(watcherOf(defineSource({ seeds: [ADDRESS], mailbox: "/srv/Maildir" }))).toBe("process")
  })
})
