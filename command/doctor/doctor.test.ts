import { defineSource } from "#crawler/source.ts"
import { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import { alertSettings } from "#crawler/alert-settings.ts"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { trustClock } from "#base/store/clock/trusted-time.ts"
import { statement } from "#base/store/testing/statement.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { aPage } from "#engine/testing/pages.ts"
import { readSettings } from "#base/settings.ts"
import { startChatRuntime } from "../../api/services/chat-models/testing/chat-runtime.ts"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { WebhookQueue } from "#crawler/reporting/webhooks/webhook-queue.ts"
import { FOSSICK, Fossick } from "../testing/fossick.ts"
import { type Checked, isWell, note, runChecks, wrong } from "./check.ts"

/** The tables of an appliance. */
const tables = (db: StateStore) => ({ jobs: new Jobs(db), webhooks: new WebhookQueue(db) })

interface Report {
  readonly ok: boolean
  readonly checks: readonly Checked[]
}

const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'
/** Runs a command in a namespace in which the data folder is read-only. */
const reading = (dataDir: string) => ["unshare", "-rm", "sh", "-c", `${READ_ONLY} && exec "$@"`, dataDir]

const fossick = new Fossick()
afterAll(() => fossick[Symbol.asyncDispose]())

const runThrough = (through: readonly string[], cwd: string, env: Record<string, string>) =>
  new Promise<{ code: number; out: string }>((resolve) => {
    const [command, ...args] = [...through, process.execPath, FOSSICK, "doctor", "--json"]
    execFile(command, args, { cwd, env: { ...CHILD_ENV, ...env } }, (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), out: stdout })
    })
  })

/** Runs `fossick doctor --json` in a folder, through the command in `through`. */
async function examine(folder: string, env: Record<string, string> = {}, through: readonly string[] = []) {
  const settings = {
    FOSSICK_DATA_DIR: join(folder, "data"),
    FOSSICK_PORT: "0",
    FOSSICK_UNIT_READER: "off",
    ...env,
  }
  const { code, out } =
    through.length === 0
      ? await fossick.run(folder, ["doctor", "--json"], settings)
      : await runThrough(through, folder, settings)
  const report = JSON.parse(out) as Report
  const of = (name: string) => report.checks.find((check) => check.name === name)?.findings ?? null
  return { code, report, of }
}

describe("the doctor", () => {
  test("tests the model servers, and shows their own messages but no key", async () => {
    using folder = temporaryFolder()
    await using server = await startModelServer({
      embedder: new HashingEmbedder(),
      rerank: async (_, texts) => texts.map(() => 0.5),
      key: "hush-hush-hush",
    })
    const env = {
      FOSSICK_EMBEDDINGS_URL: `${server.url}/v1`,
      FOSSICK_EMBEDDINGS_MODEL: "words",
      FOSSICK_RERANKER_URL: `${server.url}/v1`,
      FOSSICK_UNIT_READER: "on",
    }
    const right = { FOSSICK_EMBEDDINGS_KEY: "hush-hush-hush", FOSSICK_RERANKER_KEY: "hush-hush-hush" }
    const well = await examine(folder.path, { ...env, ...right })
    expect(["model", "reranker", "unit reader"].map(well.of)).toEqual([[], [], []])
    expect(existsSync(join(folder.path, "data"))).toBe(false)
    const wrong = { FOSSICK_EMBEDDINGS_KEY: "wrong-wrong", FOSSICK_RERANKER_KEY: "wrong-wrong" }
    const ill = await examine(folder.path, { ...env, ...wrong })
    expect(JSON.stringify(ill.of("reranker"))).toContain("answered 401: it does not accept the key")
    expect(JSON.stringify(ill.of("reranker"))).toContain("Response:")
    expect(JSON.stringify(ill.of("model"))).toContain("answered 401: it does not accept the key")
    expect(JSON.stringify(ill.report)).not.toMatch(/hush-hush|wrong-wrong/)
    expect(ill.code).toBe(1)
  })

  test("has the language model write, and reports in one line what works, or what does not and why", async () => {
    using folder = temporaryFolder()
    await using server = await startChatRuntime("ollama", {
      says: ({ body }) => (body["response_format"] === undefined ? "ready" : '{"ready": true}'),
      key: "hush-hush-hush",
      context: 16_384,
    })
    const env = { FOSSICK_LLM_URL: server.url, FOSSICK_LLM_MODEL: "qwen3" }
    const well = await examine(folder.path, { ...env, FOSSICK_LLM_API_KEY: "${LLM}", LLM: "hush-hush-hush" })
    expect(well.of("language model")).toEqual([
      {
        level: "note",
        what: expect.stringMatching(
          /^qwen3 answered in [\d.]+ s: it streams, follows a JSON schema and reads 16,384 tokens \(reported\)\.$/,
        ) as unknown,
        advice: "",
      },
    ])
    expect(well.code).toBe(0)
    const ill = await examine(folder.path, { ...env, FOSSICK_LLM_API_KEY: "wrong-wrong" })
    expect(ill.of("language model")).toMatchObject([
      {
        level: "wrong",
        what: expect.stringContaining("answered 401: it does not accept the key") as unknown,
      },
    ])
    expect(JSON.stringify(ill.report)).not.toMatch(/hush-hush|wrong-wrong/)
    const keyless = await examine(folder.path, { ...env, FOSSICK_LLM_API_KEY: "${NOT_SET}" })
    expect(JSON.stringify(keyless.of("language model"))).toContain("FOSSICK_LLM_API_KEY")
    expect((await examine(folder.path)).of("language model")).toEqual([])
  })

  test("finds nothing wrong before the first start, and makes nothing", async () => {
    using folder = temporaryFolder()
    const { code, report, of } = await examine(folder.path)
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true })
    expect(of("data folder")).toMatchObject([
      { level: "note", what: expect.stringContaining("does not exist yet") as unknown },
    ])
    expect(existsSync(join(folder.path, "data"))).toBe(false)
  })

  test("finds an appliance's data intact, and leaves it unchanged", async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    const db = await openStateStore(dataDir)
    tables(db)
    await db.ready()
    db.close()
    {
      await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir }), {
        mode: "write",
      })
      await engine.index([aPage("otters", { title: "Otters", markdown: "Otters hold hands asleep." })])
    }
    const before = readdirSync(dataDir).sort()
    const { code, report } = await examine(folder.path)
    expect(report.checks.filter(({ findings }) => findings.some(({ level }) => level === "wrong"))).toEqual(
      [],
    )
    expect(code).toBe(0)
    expect(
      readdirSync(dataDir)
        .filter((name) => !name.startsWith("state.db-"))
        .sort(),
    ).toEqual(before.filter((name) => !name.startsWith("state.db-")))
  })

  test("reports that the last backup failed, until one succeeds", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(join(folder.path, "data"))
    try {
      const backups = new BackupTable(db)
      await backups.fail((await backups.ask("schedule")).id, "There is no folder /backups.")
      const { code, of } = await examine(folder.path)
      expect(code).toBe(1)
      expect(of("backups")).toMatchObject([
        { level: "wrong", what: "The last scheduled backup failed: There is no folder /backups." },
      ])
      await backups.finish((await backups.ask("command")).id, {
        file: "a.tar",
        bytes: 1,
        pages: 1,
        note: null,
      })
      expect((await examine(folder.path)).of("backups")).toEqual([])
    } finally {
      db.close()
    }
  })

  test("names every unknown, wrong or incomplete setting, with code 1", async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, "fossick.env"), "FOSSICK_PROT=80\n")
    const { code, of } = await examine(folder.path, {
      FOSSICK_ALLOWED_NETWORKS: "what is this",
      FOSSICK_LLM_MODEL: "llama",
    })
    expect(code).toBe(1)
    const said = of("settings")!.map(({ what }) => what)
    expect(said).toHaveLength(3)
    for (const name of ["FOSSICK_PROT", "FOSSICK_ALLOWED_NETWORKS", "FOSSICK_LLM_URL"]) {
      expect(said).toContainEqual(expect.stringContaining(name))
    }
  })

  test("reports a wrong sources file, a port in use, a missing browser and an invalid model", async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, "sources.yaml"), "sources:\n  - name: docs\n")
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const { code, of } = await examine(folder.path, {
      FOSSICK_PORT: String(port),
      FOSSICK_BROWSER_PATH: join(folder.path, "no-browser"),
      FOSSICK_MODEL: folder.path,
    })
    server.close()
    expect(code).toBe(1)
    expect(of("sources file")).toMatchObject([{ what: "sources.yaml:2:5: docs: seeds is missing" }])
    expect(of("port")).toMatchObject([{ level: "wrong", what: `Port ${port} is in use by another program.` }])
    expect(of("browser")).toMatchObject([{ level: "wrong" }])
    expect(of("model")).toMatchObject([{ level: "wrong" }])
  })

  test("reports an interrupted restore, a clock that is behind, and a disk without space", async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    mkdirSync(join(dataDir, "restoring"), { recursive: true })
    const ahead = new Date(Date.now() + 86_400_000)
    writeFileSync(join(dataDir, "state.json"), "")
    utimesSync(join(dataDir, "state.json"), ahead, ahead)
    const { code, of } = await examine(folder.path, { FOSSICK_MIN_FREE_MB: "1000000" })
    expect(code).toBe(1)
    expect(of("restore")).toMatchObject([
      { level: "wrong", advice: expect.stringContaining("fossick restore") as unknown },
    ])
    expect(of("clock")).toMatchObject([
      { level: "wrong", what: expect.stringContaining(ahead.toISOString()) as unknown },
    ])
    expect(of("disk space")).toMatchObject([
      { level: "wrong", what: expect.stringContaining("1000000 MB must stay free") as unknown },
    ])
  })

  test("names a read-only folder once, and checks its contents", { tags: ["mounts"] }, async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    ;(await openStateStore(dataDir)).close()
    const { code, of } = await examine(folder.path, {}, reading(dataDir))
    expect(code).toBe(1)
    expect(of("data folder")).toMatchObject([
      {
        level: "wrong",
        what: expect.stringContaining(`${dataDir} is read-only`) as unknown,
        advice: expect.stringContaining("Mount its disk for writing") as unknown,
      },
    ])
    expect([of("disk space"), of("state.db")]).toEqual([[], []])
  })

  test("finds the appliance that answers for a read-only folder", { tags: ["mounts"] }, async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    ;(await openStateStore(dataDir)).close()
    let status = 200
    const appliance = createHttpServer((_, response) => response.writeHead(status).end()).listen(
      0,
      "127.0.0.1",
    )
    await once(appliance, "listening")
    const { port } = appliance.address() as AddressInfo
    const examined = async () =>
      (await examine(folder.path, { FOSSICK_PORT: String(port) }, reading(dataDir))).of("port")
    expect(await examined()).toEqual([])
    status = 404
    expect(await examined()).toMatchObject([{ what: `Port ${port} is in use by another program.` }])
    appliance.closeAllConnections()
    appliance.close()
  })

  test("reports a clock in doubt, until someone confirms that it is right", async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    {
      using db = await openStateStore(dataDir)
      await trustClock(db, Date.now() - 40 * 86_400_000)
    }
    expect((await examine(folder.path)).of("clock")).toMatchObject([
      { level: "wrong", advice: expect.stringContaining("--trust-clock") as unknown },
    ])
    const trusted = await fossick.run(folder.path, ["doctor", "--trust-clock"], { FOSSICK_DATA_DIR: dataDir })
    expect(trusted).toMatchObject({ code: 0, err: "" })
    expect((await examine(folder.path)).of("clock")).toEqual([])
  })

  test("reports a missing state.db, and a different one", async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, "data")
    const lose = async () => {
      ;(await openStateStore(dataDir)).close()
      for (const name of readdirSync(dataDir)) if (name.startsWith("state.db")) rmSync(join(dataDir, name))
    }
    await lose()
    const finding = (what: string) => ({
      level: "wrong",
      what: expect.stringContaining(what) as unknown,
      advice: expect.stringContaining("fossick restore") as unknown,
    })
    expect((await examine(folder.path)).of("state.db")).toMatchObject([finding("state.db is missing")])
    ;(await openStateStore(dataDir)).close()
    expect((await examine(folder.path)).of("state.db")).toMatchObject([finding("is not the one")])
  })

  test("reports webhooks that nobody accepts, and jobs that lost their process", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(join(folder.path, "data"))
    const { jobs } = tables(db)
    await db.script(`insert into webhook_delivery (id, source, job, event, receiver, body, attempts, created_at, first_due_at, error)
      values ('a', 'docs', 1, 'crawl.finished', 'http://hook.example/', '{}', 3, 1, 1, 'answered with 500')`)
    await db.script("pragma foreign_keys = off")
    const columns = await statement(
      db,
      "select name from pragma_table_info('job') where \"notnull\" = 1 and dflt_value is null and pk = 0",
    ).all()
    const names = columns.map(({ name }) => `"${String(name)}"`)
    await db.script(
      `insert into job (${names.join(", ")}) values (${names.map((name) => (name === '"state"' ? "'running'" : "1")).join(", ")})`,
    )
    expect(await jobs.hasRunning()).toBe(true)
    db.close()
    const { code, of } = await examine(folder.path)
    expect(code).toBe(1)
    expect(of("webhooks")).toMatchObject([
      { level: "wrong", what: expect.stringContaining("1 message about docs is waiting") as unknown },
    ])
    expect(of("lost processes")).toMatchObject([{ level: "note", what: "The process of job 1 is gone." }])
  })

  test("reports repeated failures, and settings that keep its e-mails back", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(join(folder.path, "data"))
    const book = new AlertBook(db)
    const jobs = new Jobs(db)
    const source = defineSource({ name: "docs", seeds: ["https://docs.example/"] })
    for (const reason of ["first", "the only seed failed"]) {
      const { id } = (await jobs.start((await jobs.enqueue(source, { trigger: "run" })).id))!
      await jobs.end(id, "finished", null, { result: "failed", reason })
    }
    await book.collect(readSettings(alertSettings, { FOSSICK_ALERT_EMAIL: "ops@example.com" }))
    await book.outbox("email").settle((await book.outbox("email").due(new Set(), 1))[0]!.id, {
      error: "connect ECONNREFUSED",
      status: null,
      final: false,
    })
    db.close()
    const { code, of } = await examine(folder.path, { FOSSICK_ALERT_EMAIL: "ops@example.com" })
    expect(code).toBe(1)
    expect(of("alerts")).toMatchObject([
      { level: "wrong", what: expect.stringMatching(/^FOSSICK_ALERT_EMAIL needs FOSSICK_SMTP_URL/) },
      {
        level: "note",
        what: "The source docs failed or had problems 2 times in a row: the only seed failed.",
      },
      {
        level: "wrong",
        what: "1 e-mail is waiting for a mail server that does not accept them (connect ECONNREFUSED).",
      },
    ])
  })

  test("reports a data folder that cannot be written to", { tags: ["not-root"] }, async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, "data"))
    chmodSync(join(folder.path, "data"), 0o500)
    const { of } = await examine(folder.path)
    expect(of("data folder")).toMatchObject([{ level: "wrong" }])
    chmodSync(join(folder.path, "data"), 0o700)
  })

  test("reports a data folder that is not a folder", async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, "data"), "")
    const { code, of } = await examine(folder.path)
    expect(code).toBe(1)
    expect(of("data folder")).toMatchObject([
      { level: "wrong", what: `${join(folder.path, "data")} is not a folder.` },
    ])
  })

  test("says when Meilisearch is not running", async () => {
    using folder = temporaryFolder()
    const { code, of } = await examine(folder.path, {
      FOSSICK_ENGINE: "meilisearch",
      FOSSICK_MEILI_URL: "http://127.0.0.1:9",
    })
    expect(code).toBe(1)
    expect(of("index")).toMatchObject([
      { level: "wrong", advice: expect.stringContaining("FOSSICK_MEILI_URL") as unknown },
    ])
  })
})

test("reports a failed check as a problem, and still runs the others", async () => {
  const checked = await runChecks([
    { name: "one", run: () => Promise.reject(new Error("no such thing")) },
    { name: "two", run: () => [note("fine")] },
  ])
  expect(checked).toEqual([
    { name: "one", findings: [wrong("no such thing", "")] },
    { name: "two", findings: [note("fine")] },
  ])
  expect(isWell(checked)).toBe(false)
  expect(isWell(checked.slice(1))).toBe(true)
})
