import { existsSync, readdirSync, renameSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { ImapFlow } from "imapflow"
import { afterEach, expect, test, vi } from "vitest"
import { rareWord } from "#engine/testing/pages.ts"
import { runJob } from "./crawl/run-job.ts"
import type { Job } from "./job.ts"
import { defineSource, type MailServer } from "./source.ts"
import { CrawlFixture, shareFor, testConfig } from "./testing/crawl-fixture.ts"
import { Dovecot } from "./testing/dovecot.ts"

// Runs against a real IMAP server, Dovecot, which reads a Maildir of its own.

const ADDRESS = "https://mail.example/ada/"
const tags = ["dovecot"]

interface Mail {
  readonly id: number
  readonly to?: number
  readonly files?: readonly string[]
}

const wordOf = (id: number): string => rareWord(id + 1)

function source({ id, to, files = [] }: Mail): string {
  const text = `The ${wordOf(id)} is in the harbour, and ${rareWord(id + 900)} watches over it.`
  const parts = files.map(
    (name) =>
      `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nThe file of ${wordOf(id)}.\r\n`,
  )
  return [
    "From: Ada Lovelace <ada@mail.example>",
    `Subject: ${to === undefined ? "" : "Re: "}The matter of ${wordOf(to ?? id)}`,
    `Date: ${new Date(Date.UTC(2026, 0, 1, 10, id)).toUTCString()}`,
    `Message-ID: <${id}@mail.example>`,
    ...(to === undefined ? [] : [`In-Reply-To: <${to}@mail.example>`]),
    ...(files.length === 0
      ? ["", text]
      : ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", text, ...parts, "--b--"]),
    "",
  ].join("\r\n")
}

/** A mailbox on a server, and a crawler that reads it. */
class Week implements AsyncDisposable {
  readonly #fixture: CrawlFixture
  readonly #config = testConfig()
  readonly mail: Dovecot
  /** Fields of the source's mailbox setting that differ from the defaults. */
  says: Partial<MailServer> = {}
  caFile: string | null

  static async open(): Promise<Week> {
    const week = new Week(await CrawlFixture.open(), await Dovecot.start())
    vi.stubEnv("IMAP_PASSWORD", week.mail.password)
    for (const id of [0, 1, 2, 3]) await week.deliver({ id })
    return week
  }

  private constructor(fixture: CrawlFixture, mail: Dovecot) {
    this.#fixture = fixture
    this.mail = mail
    this.caFile = mail.caFile
  }

  async deliver(mail: Mail, folder = "INBOX", flags: string[] = []): Promise<void> {
    await this.mail.as(async (client) => {
      if (folder !== "INBOX") await client.mailboxCreate(folder)
      await client.append(folder, source(mail), flags)
    })
  }

  /** Runs `work` on a message in the inbox. */
  async with(id: number, work: (client: ImapFlow, uid: number) => Promise<unknown>): Promise<void> {
    await this.mail.as(async (client) => {
      await client.mailboxOpen("INBOX")
      const header = { "message-id": `<${id}@mail.example>` }
      const [uid] = (await client.search({ header }, { uid: true })) as number[]
      await work(client, uid!)
    })
  }

  async run(): Promise<Job> {
    const { db, jobs, engine } = this.#fixture
    const { caFile } = this
    const { server, user } = this.mail
    const mailbox = { server, user, password: "${IMAP_PASSWORD}", ...this.says }
    const declared = defineSource({
      name: "ada",
      mailbox,
      seeds: [ADDRESS],
      caFile,
      removal: { maxShare: 1 },
    })
    const { id } = await jobs.enqueue(declared, { trigger: "schedule", visits: "due" })
    const options = { db, jobs, engine, config: this.#config, share: shareFor(this.#config) }
    return (await runJob(id, {
      ...options,
      signal: new AbortController().signal,
      whenAborted: "paused",
    }))!
  }

  /** The messages of each page, with its address. */
  get indexed(): Record<string, number[]> {
    const ids = Array.from({ length: 20 }, (_, id) => id)
    return Object.fromEntries(
      [...this.#fixture.engine.pages.values()].map(({ url, markdown }) => [
        url,
        ids.filter((id) => markdown.includes(`The ${wordOf(id)} is in`)),
      ]),
    )
  }

  get threads(): number[][] {
    return Object.values(this.indexed).sort(([a = 0], [b = 0]) => a - b)
  }

  /** The files of the local copy. */
  get copied(): string[] {
    const root = join(this.#fixture.folder, "mailboxes")
    if (!existsSync(root)) return []
    return readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".eml"))
      .map((name) => join(root, name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture[Symbol.asyncDispose]()
    await this.mail[Symbol.asyncDispose]()
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test(
  "mail arrives, is answered, moved and deleted on the server, and the index follows",
  { tags },
  async () => {
    await using week = await Week.open()
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: { indexed: 4 }, note: null })
    expect(week.threads).toEqual([[0], [1], [2], [3]])
    const first = week.indexed

    // Nothing changed, so nothing is visited.
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })

    await week.deliver({ id: 4, files: ["minutes.txt"] })
    await week.deliver({ id: 5, to: 1 })
    expect(await week.run()).toMatchObject({ changes: { new: 2, changed: 1 } })
    expect(week.threads.filter((ids) => ids.length > 0)).toEqual([[0], [1, 5], [2], [3], [4]])

    // Flags and moves change nothing, and reading set no flag.
    await week.with(2, async (client, uid) => {
      expect(await client.fetchOne(uid, { flags: true }, { uid: true })).toMatchObject({
        flags: new Set(["\\Recent"]),
      })
      await client.messageFlagsAdd(uid, ["\\Seen", "\\Flagged"], { uid: true })
      await client.mailboxCreate("Kept")
      await client.messageMove(uid, "Kept", { uid: true })
    })
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })

    // One message is marked as deleted, and one is in the trash.
    await week.with(0, (client, uid) => client.messageFlagsAdd(uid, ["\\Deleted"], { uid: true }))
    await week.with(3, async (client, uid) => {
      await client.mailboxCreate("Trash")
      await client.messageMove(uid, "Trash", { uid: true })
    })
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: { "skipped:gone": 2 } })
    expect(week.threads.filter((ids) => ids.length > 0)).toEqual([[1, 5], [2], [4]])
    const rest = Object.keys(week.indexed)
    expect(Object.keys(first).filter((url) => rest.includes(url))).toHaveLength(2)
  },
)

test("spam, drafts and folders that the source doesn't name are left out", { tags }, async () => {
  await using week = await Week.open()
  await week.deliver({ id: 4 }, "Spam/2026")
  await week.deliver({ id: 5 }, "Entwürfe")
  await week.deliver({ id: 6 }, "INBOX", ["\\Draft"])
  await week.deliver({ id: 7 }, "Projects/Harbour")
  await week.run()
  expect(week.threads).toEqual([[0], [1], [2], [3], [7]])

  week.says = { folders: ["Projects/Harbour", "Spam/2026"] }
  await week.run()
  expect(week.copied).toHaveLength(2)
  week.says = { folders: ["Projects/Bridge"] }
  expect(await week.run()).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/has no folder Projects\/Bridge\. Its folders are: .*Projects\/Harbour/),
  })
})

test("no page is lost when the server is away or the password is wrong", { tags }, async () => {
  await using week = await Week.open()
  await week.run()
  const before = week.indexed
  await week.mail.stop()
  expect(await week.run()).toMatchObject({ state: "failed", error: expect.stringMatching(/ECONNREFUSED/) })
  await week.mail.start()

  vi.stubEnv("IMAP_PASSWORD", "not-the-password")
  const refused = await week.run()
  expect(refused).toMatchObject({
    state: "failed",
    error: `imaps://ada@mail.example@localhost:${week.mail.port}: the server rejected the user or password (AUTHENTICATIONFAILED).`,
  })
  expect(JSON.stringify(refused)).not.toContain("not-the-password")
  vi.stubEnv("IMAP_PASSWORD", week.mail.password)
  expect(week.indexed).toEqual(before)

  // When all mail disappears at once, the server has probably lost its disk.
  await week.with(0, (client) => client.messageDelete("1:*"))
  expect(await week.run()).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/contains no messages/),
  })
  expect(week.indexed).toEqual(before)
  for (const id of [0, 1, 2, 3]) await week.deliver({ id })
  expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })
  expect(week.indexed).toEqual(before)
})

test(
  "when a server renumbers its messages, they are fetched again and no page changes",
  { tags },
  async () => {
    await using week = await Week.open()
    await week.run()
    const [before, files] = [week.indexed, week.copied]
    await week.mail.renumber()
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })
    expect(week.indexed).toEqual(before)
    expect(week.copied).toHaveLength(4)
    expect(week.copied.filter((file) => files.includes(file))).toEqual([])
  },
)

test("only messages missing from the copy are fetched again", { tags }, async () => {
  await using week = await Week.open()
  await week.run()
  const [lost, ...others] = week.copied
  const times = others.map((file) => statSync(file).mtimeMs)
  // The file looks as if the process had been killed while writing it.
  renameSync(lost!, join(dirname(lost!), `.${basename(lost!, ".eml")}.part`))
  expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })
  expect(week.copied).toHaveLength(4)
  expect(others.map((file) => statSync(file).mtimeMs)).toEqual(times)
})

test("STARTTLS secures a connection, and an untrusted certificate aborts it", { tags }, async () => {
  await using week = await Week.open()
  week.says = { server: `imap://localhost:${week.mail.plainPort}` }
  expect(await week.run()).toMatchObject({ state: "finished", outcomes: { indexed: 4 } })
  week.caFile = null
  for (const server of [week.mail.server, `imap://localhost:${week.mail.plainPort}`]) {
    week.says = { server }
    expect(await week.run()).toMatchObject({ state: "failed", error: expect.stringMatching(/caFile/) })
  }
})
