import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { describe, expect, test } from "vitest"
import { rareWord } from "#engine/testing/pages.ts"
import { runJob } from "./crawl/run-job.ts"
import type { Job } from "./job.ts"
import { defineSource } from "./source.ts"
import { CrawlFixture, shareFor, temporaryFolder, testConfig } from "./testing/crawl-fixture.ts"

const ADDRESS = "https://mail.example/ada/"

interface Mail {
  readonly id: number
  /** Number of the message that this one answers. */
  readonly to: number | null
  /** Number of the first message in the thread. */
  readonly root: number
}

const wordOf = ({ id }: Pick<Mail, "id">): string => rareWord(id + 1)

/** A message as written by a mail program: it quotes the whole message that it answers, and has a signature. */
function source({ id, to, root }: Mail): string {
  const quote =
    to === null
      ? []
      : [
          "On Monday at 10:14, Bob <bob@mail.example> wrote:",
          `> The ${rareWord(to + 1)} is in the harbour.`,
          "",
        ]
  return [
    "From: Ada Lovelace <ada@mail.example>",
    "To: Bob <bob@mail.example>",
    `Subject: ${to === null ? "" : "Re: "}The matter of ${rareWord(root + 1)}`,
    `Date: ${new Date(Date.UTC(2026, 0, 1, 10, id)).toUTCString()}`,
    `Message-ID: <${id}@mail.example>`,
    ...(to === null
      ? []
      : [`In-Reply-To: <${to}@mail.example>`, `References: <${root}@mail.example> <${to}@mail.example>`]),
    "",
    ...quote,
    `The ${wordOf({ id })} is in the harbour.`,
    "",
    "-- ",
    "Ada Lovelace, analyst",
    "",
  ].join("\n")
}

/** A mailbox stored in files. */
interface Store {
  readonly path: string
  deliver(mail: Mail): Promise<void>
  remove(id: number): Promise<void>
  /** Changes that do not affect the messages themselves: marking one as read, moving it to another folder, rewriting the file. */
  tidy(): Promise<void>
}

class Maildir implements Store {
  readonly path: string

  constructor(parent: string) {
    this.path = join(parent, "Maildir")
  }

  async deliver(mail: Mail): Promise<void> {
    for (const folder of ["", ".Archive"])
      for (const part of ["cur", "new", "tmp"])
        await mkdir(join(this.path, folder, part), { recursive: true })
    await writeFile(join(this.path, "new", `${1_700_000_000 + mail.id}.M1P1.host`), source(mail))
  }

  async #files(): Promise<string[]> {
    const entries = await readdir(this.path, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  }

  async remove(id: number): Promise<void> {
    await rm((await this.#files()).find((file) => basename(file).startsWith(`${1_700_000_000 + id}.`))!)
  }

  async tidy(): Promise<void> {
    for (const [at, file] of (await this.#files()).entries()) {
      const [name] = basename(file).split(":")
      await rename(
        file,
        join(this.path, at % 3 === 0 ? ".Archive/cur" : "cur", `${name}:2,${at % 2 === 0 ? "S" : "RS"}`),
      )
    }
  }
}

class Mbox implements Store {
  readonly path: string
  #mails: Mail[] = []
  #status = ""

  constructor(parent: string) {
    this.path = join(parent, "ada.mbox")
  }

  async #write(): Promise<void> {
    const text = this.#mails.map(
      (mail) => `From ada@mail.example Thu Jan  1 10:00:00 2026\n${this.#status}${source(mail)}\n`,
    )
    await writeFile(this.path, text.join(""))
  }

  async deliver(mail: Mail): Promise<void> {
    this.#mails.push(mail)
    const text = `From ada@mail.example Thu Jan  1 10:00:00 2026\n${source(mail)}\n`
    await writeFile(this.path, text, { flag: "a" })
  }

  async remove(id: number): Promise<void> {
    this.#mails = this.#mails.filter((mail) => mail.id !== id)
    await this.#write()
  }

  async tidy(): Promise<void> {
    this.#status = "Status: RO\n"
    this.#mails.reverse()
    await this.#write()
  }
}

/** A mailbox, its expected messages, and a crawler that reads it. */
class Week implements AsyncDisposable {
  readonly #parent = temporaryFolder()
  readonly #fixture: CrawlFixture
  readonly #config = testConfig()
  readonly #store: Store
  #mails: Mail[] = []

  static async open(kind: new (parent: string) => Store): Promise<Week> {
    const week = new Week(await CrawlFixture.open(), kind)
    for (let thread = 0; thread < 12; thread += 1) await week.deliver(null)
    for (let thread = 0; thread < 12; thread += 2) await week.deliver(thread)
    return week
  }

  private constructor(fixture: CrawlFixture, kind: new (parent: string) => Store) {
    this.#fixture = fixture
    this.#store = new kind(this.#parent.path)
  }

  get path(): string {
    return this.#store.path
  }

  /** @returns the number of the message */
  async deliver(to: number | null): Promise<number> {
    const id = this.#next
    this.#next += 1
    const root = to === null ? id : this.#roots[to]!
    this.#roots.push(root)
    const mail = { id, to, root }
    this.#mails.push(mail)
    await this.#store.deliver(mail)
    return id
  }
  #next = 0
  readonly #roots: number[] = []

  async remove(id: number): Promise<void> {
    this.#mails = this.#mails.filter((mail) => mail.id !== id)
    await this.#store.remove(id)
  }

  async tidy(): Promise<void> {
    await this.#store.tidy()
  }

  async run(): Promise<Job> {
    const { db, jobs, engine } = this.#fixture
    const declared = defineSource({ name: "ada", mailbox: this.path, seeds: [ADDRESS] })
    const { id } = await jobs.enqueue(declared, { trigger: "schedule", visits: "due" })
    const options = { db, jobs, engine, config: this.#config, share: shareFor(this.#config) }
    const job = await runJob(id, { ...options, signal: new AbortController().signal, whenAborted: "paused" })
    return job!
  }

  /** The messages of each page; a message is repeated for each time its own words occur on the page. */
  get indexed(): string[][] {
    const words = this.#roots.map((_, id) => wordOf({ id }))
    const pages = [...this.#fixture.engine.pages.values()]
    return sorted(
      pages.map(({ markdown }) =>
        words.flatMap((word) =>
          markdown
            .split(`The ${word} is in`)
            .slice(1)
            .map(() => word),
        ),
      ),
    )
  }

  /** The expected index: each thread is a page, with each message once, and without quotes of the thread's other messages. */
  get expected(): string[][] {
    const threads = Map.groupBy(this.#mails, ({ root }) => root)
    return sorted(
      [...threads.values()].map((mails) => {
        const said = new Set<number>()
        for (const { id, to } of mails) for (const one of [id, to]) if (one !== null) said.add(one)
        return [...said].map((id) => wordOf({ id }))
      }),
    )
  }

  get pages() {
    return this.#fixture.engine.pages
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture[Symbol.asyncDispose]()
    this.#parent[Symbol.dispose]()
  }
}

const sorted = (lists: readonly (readonly string[])[]): string[][] =>
  lists.map((list) => list.toSorted()).sort((a, b) => (a.join() < b.join() ? -1 : 1))

describe.each([
  ["Maildir", Maildir],
  ["mbox", Mbox],
] as const)("a week of a mailbox that is a %s", (_, kind) => {
  test("mail arrives, is answered, filed and deleted, and the index follows exactly", async () => {
    await using week = await Week.open(kind)
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: { indexed: 12 } })
    expect(week.indexed).toEqual(week.expected)
    const [page] = [...week.pages.values()].filter(({ markdown }) =>
      markdown.includes(`The ${wordOf({ id: 0 })} is in`),
    )
    expect(page).toMatchObject({ title: `The matter of ${wordOf({ id: 0 })}`, author: "Ada Lovelace" })
    expect(page!.publishedAt).toEqual(new Date(Date.UTC(2026, 0, 1, 10, 0)))

    // Nothing changed, so no file is read, or even checked.
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })

    await week.deliver(null)
    const answer = await week.deliver(3)
    expect(await week.run()).toMatchObject({ state: "finished", changes: { new: 1, changed: 1 } })
    expect(week.indexed).toEqual(week.expected)

    await week.tidy()
    expect(await week.run()).toMatchObject({ state: "finished", outcomes: {} })

    // An answer, the first message of a thread and a whole thread are deleted.
    await week.remove(answer)
    await week.remove(0)
    await week.remove(5)
    await week.run()
    expect(week.indexed).toEqual(week.expected)
    await week.deliver(5)
    await week.run()
    expect(week.indexed).toEqual(week.expected)
  })

  test("no page is removed when the mailbox is missing or empty", async () => {
    await using week = await Week.open(kind)
    await week.run()
    const before = week.indexed
    await rename(week.path, `${week.path}.away`)
    expect(await week.run()).toMatchObject({
      state: "failed",
      error: `The mailbox ${week.path} cannot be read (ENOENT). If it is on a share, mount the share.`,
    })
    await (kind === Maildir ? mkdir(week.path) : writeFile(week.path, ""))
    expect(await week.run()).toMatchObject({ state: "failed" })
    expect(week.indexed).toEqual(before)

    await rm(week.path, { recursive: true })
    await rename(`${week.path}.away`, week.path)
    expect(await week.run()).toMatchObject({ state: "finished", note: null })
    expect(week.indexed).toEqual(before)
  })
})

test("an mbox is read up to the message being written, and later to its end", async () => {
  await using week = await Week.open(Mbox)
  await week.run()
  const before = week.indexed
  const id = await week.deliver(null)
  const whole = await readFile(week.path)
  const after = week.expected
  await writeFile(week.path, whole.subarray(0, whole.lastIndexOf("Subject: ")))
  await week.run()
  expect(week.indexed).toEqual(before)

  await writeFile(week.path, whole)
  await week.run()
  expect(week.indexed).toEqual(after)
  expect(week.indexed.flat()).toContain(wordOf({ id }))
  // Another program replaced the file with one that has a different time but the same text.
  const { size } = await stat(week.path)
  await utimes(week.path, 1, 1)
  expect(await week.run()).toMatchObject({ outcomes: {} })
  expect((await stat(week.path)).size).toBe(size)
})
