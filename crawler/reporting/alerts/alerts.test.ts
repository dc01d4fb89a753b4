import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { pino } from "pino"
import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { alertProblems, alertSettings } from "../../alert-settings.ts"
import { BackupTable } from "../../upkeep/backup/scheduled/backup-table.ts"
import type { Judged } from "../../job.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { crawlerSettings } from "../../settings.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { startMailServer } from "../../testing/mail-server.ts"
import { startTestSite } from "../../testing/test-site.ts"
import { WebhookQueue } from "../webhooks/webhook-queue.ts"
import { AlertBook } from "./alert-book.ts"
import type { ChannelName } from "./channels/registry.ts"
import { followAlerts } from "./follow-alerts.ts"

const HOOK = "https://ops.example.com/alerts"
const WELL: Judged = { result: "finished", reason: null }
const BAD: Judged = {
  result: "finished-with-problems",
  reason: "28% of its pages have gone since the last run: 28 of 100 answered 404 or 410",
}

const settings = (env: NodeJS.ProcessEnv = {}) => readSettings(alertSettings, env)

/** A data folder, with runs that end as specified by the test. */
async function open() {
  const folder = temporaryFolder()
  const now = { ms: Date.UTC(2026, 0, 1) }
  const db = await openStateStore(folder.path)
  const book = new AlertBook(db, () => now.ms)
  const jobs = new Jobs(db, () => now.ms)
  const webhooks = new WebhookQueue(db, () => now.ms)
  const backups = new BackupTable(db, () => now.ms)
  return {
    folder: folder.path,
    now,
    db,
    book,
    jobs,
    webhooks,
    backups,
    /** A run of the source `docs`, a day after the one before. */
    async run(
      judged: Judged | string,
      trigger: "schedule" | "command" = "schedule",
      spec: Partial<SourceSpec> = {},
    ) {
      now.ms += 24 * 3_600_000
      const source = defineSource({ name: "docs", seeds: ["https://docs.example/"], ...spec })
      const { id } = (await jobs.start((await jobs.enqueue(source, { trigger })).id))!
      if (typeof judged === "string") await jobs.end(id, "failed", judged)
      else await jobs.end(id, "finished", null, judged)
      return id
    },
    /** The webhook messages that are due now but were not before. */
    async told() {
      const due = await webhooks.due(new Set(), 100)
      for (const { id } of due) await webhooks.settle(id, { error: null, status: 200 })
      return due.map(({ receiver, secret, body }) => ({
        url: receiver,
        secret,
        ...(JSON.parse(body) as object),
      }))
    },
    [Symbol.dispose]() {
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Sends messages until none of a channel's messages are due. @returns the logged lines */
async function sendAll(
  { book }: Opened,
  env: NodeJS.ProcessEnv,
  channel: ChannelName = "email",
): Promise<string> {
  const lines: string[] = []
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) })
  const stop = new AbortController()
  const config = readSettings(crawlerSettings, env)
  const following = followAlerts({
    book,
    config,
    declared: async () => ["docs"],
    env,
    userAgent: "FossickBot/1.0",
    log,
    signal: stop.signal,
    pollMs: 5,
  })
  await expect
    .poll(async () => !(await book.hasNotes()) && (await book.outbox(channel).due(new Set(), 1)).length === 0)
    .toBe(true)
  stop.abort()
  await following
  return lines.join("")
}

describe("an alert", () => {
  test("is sent once when consecutive runs go wrong, and once when a run is fine again", async () => {
    using state = await open()
    const config = settings({ FOSSICK_ALERT_WEBHOOK: HOOK, FOSSICK_ALERT_WEBHOOK_SECRET: "${OPS_SECRET}" })
    const toldAfter = async (judged: Judged | string) => {
      const id = await state.run(judged)
      await state.book.collect(config)
      return [id, await state.told()] as const
    }
    const [, first] = await toldAfter(BAD)
    expect(first).toEqual([])
    expect(await state.book.list()).toMatchObject([
      { about: "source", name: "docs", badRuns: 1, toldAt: null },
    ])
    const [second, began] = await toldAfter("login: the site rejected the credentials")
    expect(began).toEqual([
      {
        url: HOOK,
        secret: "${OPS_SECRET}",
        type: "alert.began",
        timestamp: expect.any(String),
        data: {
          about: "source",
          name: "docs",
          run_id: second,
          result: "failed",
          reason: "login: the site rejected the credentials",
          bad_runs: 2,
          since: "2026-01-02T00:00:00.000Z",
        },
      },
    ])
    expect((await toldAfter(BAD))[1]).toEqual([])
    expect(await state.book.list()).toMatchObject([{ badRuns: 3, toldAt: new Date("2026-01-03") }])
    expect((await toldAfter(WELL))[1]).toMatchObject([
      { type: "alert.ended", data: { name: "docs", result: "finished", reason: null, bad_runs: 3 } },
    ])
    expect(await state.book.list()).toEqual([])
    expect((await toldAfter(WELL))[1]).toEqual([])
    // One bad run between good ones is a temporary fault of the site.
    expect([
      ...(await toldAfter(BAD))[1],
      ...(await toldAfter(WELL))[1],
      ...(await toldAfter(BAD))[1],
    ]).toEqual([])
  })

  test("counts each run once, and is sent once, however many processes check at the same time", async () => {
    using state = await open()
    const config = settings({ FOSSICK_ALERT_WEBHOOK: HOOK, FOSSICK_ALERT_EMAIL: "ops@example.com" })
    const look = () => Promise.all(Array.from({ length: 3 }, () => state.book.collect(config)))
    await state.run(BAD)
    await look()
    expect(await state.book.list()).toMatchObject([{ badRuns: 1, toldAt: null }])
    await state.run(BAD)
    await look()
    expect(await state.book.list()).toMatchObject([{ badRuns: 2 }])
    expect(await state.told()).toHaveLength(1)
    expect(await state.book.outbox("email").count()).toBe(1)
  })

  test("goes to the source's own webhooks that subscribe to it, and to no address twice", async () => {
    using state = await open()
    const webhooks = [
      { url: "https://docs.example/alerts", events: ["alert" as const] },
      { url: "https://docs.example/ends", events: ["finished" as const] },
      { url: HOOK, events: ["alert" as const] },
    ]
    await state.run("no way", "schedule", { webhooks })
    await state.book.collect(settings({ FOSSICK_ALERT_AFTER: "1", FOSSICK_ALERT_WEBHOOK: HOOK }))
    expect((await state.told()).map(({ url }) => url).toSorted()).toEqual([webhooks[0]!.url, HOOK])
  })

  test("ignores manual crawls and cancelled runs, and is not sent when switched off", async () => {
    using state = await open()
    const config = settings({ FOSSICK_ALERT_AFTER: "1", FOSSICK_ALERT_WEBHOOK: HOOK })
    await state.run("no way", "command")
    await state.jobs.cancel(
      (await state.jobs.enqueue(defineSource({ seeds: ["https://a.example/"] }), { trigger: "run" })).id,
    )
    await state.book.collect(config)
    await state.run("no way")
    await state.book.collect(settings({ FOSSICK_ALERT_AFTER: "0", FOSSICK_ALERT_WEBHOOK: HOOK }))
    expect(await state.told()).toEqual([])
    expect(await state.book.list()).toMatchObject([{ name: "docs", badRuns: 1, toldAt: null }])
    // A source that is no longer declared raises no alert.
    await state.book.prune(["blog"])
    expect(await state.book.list()).toEqual([])
  })

  test("reports a failed backup the first time, and the next successful one", async () => {
    using state = await open()
    const { backups, book } = state
    await backups.declare({ name: "nightly", schedule: null, folder: "/backups", keep: 7 })
    const config = settings({ FOSSICK_ALERT_WEBHOOK: HOOK, FOSSICK_ALERT_EMAIL: "ops@example.com" })
    const run = async () => {
      await backups.ask("schedule")
      return (await backups.start())!.id
    }
    const id = await run()
    await backups.fail(id, "the disk of /backups is full")
    await book.collect(config)
    expect(await state.told()).toMatchObject([
      {
        type: "alert.began",
        data: {
          about: "backup",
          name: "nightly",
          run_id: id,
          result: "failed",
          reason: "the disk of /backups is full",
        },
      },
    ])
    expect(await state.webhooks.list({ limit: 1, offset: 0 })).toMatchObject([
      { source: null, job: null, event: "alert" },
    ])
    expect(await book.outbox("email").list({ limit: 1 })).toMatchObject([
      { subject: "[Fossick] backup nightly: the last run went wrong" },
    ])
    await backups.fail(await run(), "the disk of /backups is full")
    await backups.finish(await run(), { file: "/backups/a.tar", bytes: 1, pages: 1, note: null })
    await book.collect(config)
    expect(await state.told()).toMatchObject([
      { type: "alert.ended", data: { name: "nightly", bad_runs: 2 } },
    ])
  })
})

describe("an alert email", () => {
  const mailTo = (port: number, more: NodeJS.ProcessEnv = {}) => ({
    FOSSICK_SMTP_URL: `smtp://127.0.0.1:${port}`,
    FOSSICK_ALERT_EMAIL: "ops@example.com",
    FOSSICK_ALERT_FROM: "fossick@example.com",
    FOSSICK_ALERT_AFTER: "1",
    ...more,
  })

  test("names the problem in its subject, and the reason and remedy in its text", async () => {
    await using server = await startMailServer({
      login: { user: "fossick", password: "a secret of the mail server" },
    })
    using state = await open()
    const id = await state.run(BAD)
    const log = await sendAll(
      state,
      mailTo(server.port, {
        FOSSICK_SMTP_URL: `smtp://fossick@127.0.0.1:${server.port}`,
        FOSSICK_SMTP_PASSWORD: "${MAIL_PASSWORD}",
        MAIL_PASSWORD: "a secret of the mail server",
      }),
    )
    const [mail] = server.received
    expect(mail).toMatchObject({ recipients: ["ops@example.com"], user: "fossick" })
    expect(mail!.text).toContain("Subject: [Fossick] docs: the last run went wrong")
    expect(mail!.text).toContain("From: Fossick <fossick@example.com>")
    expect(mail!.text).toContain("Auto-Submitted: auto-generated")
    const text = mail!.text.replaceAll("=\r\n", "").replaceAll("=20", " ")
    expect(text).toContain("finished with problems (job ")
    expect(text).toContain("28% of its pages have gone since the last run")
    expect(text).toContain(`fossick jobs show ${id} --outcome failed`)
    expect(log + JSON.stringify(await state.book.outbox("email").list({ limit: 9 }))).not.toContain(
      "a secret of",
    )
  })

  test("to an unknown mailbox does not stop delivery to the other recipients", async () => {
    await using server = await startMailServer({ unknown: ["gone@example.com"] })
    using state = await open()
    await state.run(BAD)
    await sendAll(state, mailTo(server.port, { FOSSICK_ALERT_EMAIL: "gone@example.com, ops@example.com" }))
    expect(server.received.map(({ recipients }) => recipients)).toEqual([["ops@example.com"]])
    expect(await state.book.outbox("email").list({ limit: 2 })).toMatchObject([
      { receiver: "ops@example.com", state: "delivered" },
      { receiver: "gone@example.com", state: "given-up", attempts: 1 },
    ])
  })

  test("waits instead of giving a password to a server without TLS, or the wrong server", async () => {
    await using server = await startMailServer({ login: { user: "fossick", password: "right" } })
    const login = { FOSSICK_SMTP_PASSWORD: "${MAIL_PASSWORD}", MAIL_PASSWORD: "guessed" }
    for (const [host, error] of [
      // The unspecified address, which connects to this machine.
      ["0.0.0.0", /STARTTLS|TLS/],
      ["127.0.0.1", /Authentication failed/],
    ] as const) {
      using state = await open()
      await state.run(BAD)
      await sendAll(
        state,
        mailTo(server.port, { ...login, FOSSICK_SMTP_URL: `smtp://fossick@${host}:${server.port}` }),
      )
      expect(await state.book.outbox("email").list({ limit: 1 })).toMatchObject([
        { state: "waiting", lastError: expect.stringMatching(error) },
      ])
    }
    expect(server.received).toEqual([])
  })

  test("survives kill -9 of the crawler process mid-attempt, and a quick stop does not wait for it", async () => {
    await using server = await startMailServer({ next: ["hang", "hang"] })
    using state = await open()
    await state.run(BAD)
    const start = () =>
      spawn(process.execPath, [fileURLToPath(new URL("../../main.ts", import.meta.url))], {
        env: {
          ...CHILD_ENV,
          FOSSICK_DATA_DIR: state.folder,
          FOSSICK_STATE: process.env["FOSSICK_STATE"],
          FOSSICK_LOG_LEVEL: "silent",
          ...mailTo(server.port),
        },
        stdio: ["ignore", "inherit", "inherit"],
      })
    const received = (count: number) => expect.poll(() => server.received.length).toBe(count)
    const first = start()
    await received(1)
    first.kill("SIGKILL")
    await once(first, "exit")
    const second = start()
    await received(2)
    // The sender is stopped while the server doesn't respond.
    second.kill("SIGTERM")
    await once(second, "exit")
    expect(await state.book.outbox("email").list({ limit: 1 })).toMatchObject([
      { state: "waiting", attempts: 0 },
    ])
    const third = start()
    await received(3)
    await expect
      .poll(async () => (await state.book.outbox("email").list({ limit: 1 }))[0]!.state)
      .toBe("delivered")
    third.kill("SIGTERM")
    await once(third, "exit")
    const ids = server.received.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1])
    expect(new Set(ids).size).toBe(1)
  })
})

test("each channel has its own messages, and a hanging mail server delays no other notification", async () => {
  await using server = await startMailServer({ next: ["hang"] })
  const got: string[] = []
  await using ntfy = await startTestSite({
    "*": async (request, response) => {
      got.push(await text(request))
      response.end()
    },
  })
  using state = await open()
  await state.run(BAD)
  const env = {
    FOSSICK_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    FOSSICK_ALERT_EMAIL: "ops@example.com",
    FOSSICK_ALERT_NTFY: ntfy.url("/ops_7"),
    FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}",
    FOSSICK_WEBHOOK_NETWORKS: "127.0.0.1",
    FOSSICK_ALERT_AFTER: "1",
    NTFY_TOKEN: "tk_of_an_ntfy_server",
  }
  const log = await sendAll(state, env, "ntfy")
  expect(got.map((one) => (JSON.parse(one) as { title: string }).title)).toEqual([
    "[Fossick] docs: the last run went wrong",
  ])
  expect(log).toContain("alert sent by ntfy")
  const messages = await Promise.all(
    [state.book.outbox("ntfy"), state.book.outbox("email")].map((one) => one.latest(9)),
  )
  expect(messages).toMatchObject([[{ state: "delivered" }], [{ state: "waiting", attempts: 0 }]])
  expect(log + JSON.stringify(messages)).not.toMatch(/tk_of_an_ntfy_server|ops_7/)
})

describe("alert settings", () => {
  test.each([
    ["FOSSICK_SMTP_URL", "http://mail.example.com", "must be an address such as smtp://"],
    ["FOSSICK_SMTP_URL", "smtp://fossick:hunter2hunter2@mail.example.com", "must not contain a password"],
    ["FOSSICK_SMTP_URL", "smtp://mail.example.com/inbox", "must be an address without a path"],
    ["FOSSICK_SMTP_PASSWORD", "hunter2hunter2", "must name a secret"],
    ["FOSSICK_ALERT_WEBHOOK_SECRET", "hunter2hunter2", "must name a secret"],
    ["FOSSICK_ALERT_WEBHOOK", "ftp://ops.example.com/", "must be an http or https address"],
    ["FOSSICK_ALERT_NTFY", "ntfy.sh/ops", "must be an http or https address"],
    ["FOSSICK_ALERT_NTFY", "https://ntfy.sh/", "must end with a topic"],
    ["FOSSICK_ALERT_NTFY", "https://ntfy.sh/a%20b", "must end with a topic"],
    ["FOSSICK_ALERT_NTFY", "https://ops:hunter2hunter2@ntfy.sh/ops", "must not contain a user or password"],
    ["FOSSICK_ALERT_NTFY_TOKEN", "tk_hunter2hunter2", "must name a secret"],
    ["FOSSICK_ALERT_EMAIL", "ops@example.com, Ops <ops@example.com>", "must be an e-mail address"],
    [
      "FOSSICK_ALERT_EMAIL",
      Array.from({ length: 21 }, (_, i) => `a${i}@b.example`).join(),
      "must have at most 20",
    ],
    ["FOSSICK_ALERT_FROM", "ops@example.com\r\nBcc: all@example.com", "must be an e-mail address"],
    ["FOSSICK_ALERT_AFTER", "often", "must be a whole number from 0"],
  ])("%s=%s is rejected, and no secret is shown", (name, value, message) => {
    const refused = () => settings({ [name]: value })
    expect(refused).toThrow(`${name} ${message}`)
    expect(refused).not.toThrow(/hunter2/)
  })

  test("that contradict each other are reported", () => {
    expect(alertProblems(settings({ FOSSICK_ALERT_EMAIL: "ops@example.com" }))).toEqual([
      expect.stringContaining("FOSSICK_ALERT_EMAIL needs FOSSICK_SMTP_URL"),
    ])
    const token = { FOSSICK_ALERT_NTFY_TOKEN: "${A}" }
    expect(alertProblems(settings(token))).toEqual([expect.stringContaining("needs FOSSICK_ALERT_NTFY,")])
    expect(alertProblems(settings({ ...token, FOSSICK_ALERT_NTFY: "http://ntfy.example/ops" }))).toEqual([
      expect.stringContaining("needs an https:// address"),
    ])
    expect(
      alertProblems(settings({ FOSSICK_SMTP_URL: "smtp://mail.example.com", FOSSICK_SMTP_PASSWORD: "${A}" })),
    ).toEqual([expect.stringContaining("FOSSICK_SMTP_PASSWORD needs a user")])
    expect(
      alertProblems(
        settings({ FOSSICK_ALERT_EMAIL: "a@b.example", FOSSICK_SMTP_URL: "smtps://me@mail.example.com" }),
      ),
    ).toEqual([])
  })
})
