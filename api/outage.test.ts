import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"

import { afterEach, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { Pooler } from "#base/store/testing/pooler.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

const OPERATOR = "an-operator-key-of-this-test"
const PUMP = "https://pumps.example/pump"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly results?: readonly { readonly url: string }[]
    readonly degraded?: readonly string[]
    readonly warnings?: readonly { readonly code: string }[]
    readonly [field: string]: unknown
  }
}

/** An API process on a data folder with one page in its index, whose state is reached over a connection that the test can cut. */
class Api implements AsyncDisposable {
  readonly #dir: string
  readonly #line: Pooler
  #child: ChildProcess | undefined
  #url = ""

  private constructor(dir: string, line: Pooler) {
    this.#dir = dir
    this.#line = line
  }

  static async on(dir: string, line: Pooler): Promise<Api> {
    const settings = { ...readSettings(engineSettings, {}), dataDir: dir }
    await using engine = await openEngine(settings, { mode: "write", embedding: "off" })
    await engine.index([
      aPage(PUMP, { title: "The pump", markdown: "# The pump\n\nIt needs oil every week." }),
    ])
    const api = new Api(dir, line)
    await api.start()
    return api
  }

  async start(): Promise<void> {
    const child = fork(join(import.meta.dirname, "main.ts"), {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: {
        ...CHILD_ENV,
        FOSSICK_DATA_DIR: this.#dir,
        FOSSICK_STATE: this.#line.url("outage"),
        FOSSICK_PORT: "0",
        FOSSICK_API_KEY: OPERATOR,
        FOSSICK_HANDBOOK: "off",
        FOSSICK_METRICS: "open",
        FOSSICK_UNIT_READER: "off",
        FOSSICK_LOG_LEVEL: "error",
      },
    })
    endWithUs(child)
    this.#child = child
    this.#url = await new Promise((resolve, reject) => {
      child.on("message", (message: { kind: string; localUrl: string }) => {
        if (message.kind === "ready") resolve(message.localUrl.replace("localhost", "127.0.0.1"))
      })
      child.once("exit", (code) => reject(new Error(`The process exited with code ${code}.`)))
    })
  }

  async kill(): Promise<void> {
    this.#child!.kill("SIGKILL")
    await once(this.#child!, "exit")
  }

  async call(path: string, key: string, body?: object): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer["body"],
    }
  }

  async metrics(): Promise<string> {
    return await (await fetch(`${this.#url}/metrics`)).text()
  }

  search = async (key: string) =>
    await this.call("/search", key, { query: "pump oil", search_depth: "ultra-fast" })

  async key(limits: object = {}): Promise<string> {
    const made = await this.call("/admin/keys", OPERATOR, { name: "a client", role: "search", ...limits })
    if (made.status !== 201) throw new Error(`A key was answered with ${made.status}.`)
    return made.body["key"] as string
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child!.exitCode === null && this.#child!.signalCode === null) await this.kill()
  }
}

afterEach(() => void vi.unstubAllEnvs())

/** Number of searches with a key, as counted in each table. */
async function counted(dir: string, key: string) {
  using db = await openStateStore(dir)
  const of = async (sql: string) =>
    Number(
      (await statement(db, sql.replace("KEY", "(select id from api_keys where hint = ?)")).get(
        key.slice(-4),
      ))!["n"],
    )
  return {
    calls: await of("select count(*) as n from call_log where key_id = KEY"),
    requests: await of("select count(distinct request_id) as n from call_log where key_id = KEY"),
    days: await of("select coalesce(sum(calls), 0) as n from key_use where key_id = KEY"),
    credits: await of("select coalesce(sum(credits), 0) as n from credit_total where subject = KEY"),
    held: await of("select count(*) as n from credit_hold where key_id = KEY"),
  }
}

describe("while the PostgreSQL server is away", { tags: ["postgresql"] }, () => {
  test.each(["refuses connections", "says nothing"])(
    "and %s, searches with known keys are answered, say so, and are counted once the server is back",
    async (how) => {
      using folder = temporaryFolder()
      await using server = await PostgresServer.start()
      using line = await Pooler.before(server.port)
      await using api = await Api.on(folder.path, line)
      const [known, unknown, limited] = [await api.key(), await api.key(), await api.key({ credits: 10 })]
      for (const key of [known, limited]) {
        const { status, body, headers } = await api.search(key)
        expect([status, body.degraded, body.warnings, headers.get("x-fossick-degraded")]).toEqual([
          200,
          undefined,
          undefined,
          null,
        ])
      }

      if (how === "says nothing") line.isMute = true
      else line.cut()
      const during = await Promise.all(Array.from({ length: 20 }, () => api.search(known)))
      for (const { status, headers, body } of during) {
        expect(status).toBe(200)
        expect(body.results!.map(({ url }) => url)).toEqual([PUMP])
        expect(body.degraded).toContain("state")
        expect(headers.get("x-fossick-degraded")).toContain("state")
        expect(body.warnings!.map(({ code }) => code)).toContain("outage")
      }
      // The key's remaining credits are known exactly.
      const ofLimited = await Promise.all(Array.from({ length: 12 }, () => api.search(limited)))
      expect(ofLimited.filter(({ status }) => status === 200)).toHaveLength(9)
      expect(ofLimited.filter(({ status }) => status === 432)).toHaveLength(3)

      expect((await api.call(`/pages?url=${encodeURIComponent(PUMP)}`, known)).status).toBe(200)
      expect((await api.call("/suggest?q=pu", known)).status).toBe(200)
      expect((await api.call("/v2/search", known, { query: "pump" })).status).toBe(200)
      expect((await api.call("/openwebui/search", known, { query: "pump", count: 1 })).status).toBe(200)
      const refused = [
        await api.search(unknown),
        await api.call("/extract", known, { urls: [PUMP] }),
        await api.call("/admin/keys", OPERATOR),
      ]
      expect(refused.map(({ status, headers }) => [status, headers.has("retry-after")])).toEqual(
        refused.map(() => [503, true]),
      )
      const readiness = await api.call("/readyz?exclude=crawler", "")
      expect([readiness.status, readiness.body["status"]]).toEqual([200, "degraded"])

      if (how === "says nothing") line.isMute = false
      else await line.mend()
      await until(async () => (await api.call("/readyz?exclude=crawler", "")).body["status"] === "ready")
      await until(async () => (await api.search(unknown)).body.degraded === undefined)
      expect(await api.metrics()).toMatch(/fossick_degraded_answers_total\{part="state"\} [1-9]/)
      vi.stubEnv("FOSSICK_STATE", server.url("outage"))
      await until(async () => (await counted(folder.path, known)).calls >= 24)
      expect(await counted(folder.path, known)).toEqual({
        calls: 24,
        requests: 24,
        days: 24,
        credits: 23,
        held: 0,
      })
      await until(async () => (await counted(folder.path, limited)).calls >= 10)
      expect(await counted(folder.path, limited)).toEqual({
        calls: 10,
        requests: 10,
        days: 10,
        credits: 10,
        held: 0,
      })
      expect((await api.search(limited)).status).toBe(432)
      await until(async () => readdirSync(folder.path).every((name) => !name.endsWith(".jsonl")))
    },
  )

  test("after a kill, every answered call is counted exactly once", async () => {
    using folder = temporaryFolder()
    await using server = await PostgresServer.start()
    using line = await Pooler.before(server.port)
    await using api = await Api.on(folder.path, line)
    const key = await api.key({ credits: 1000 })
    expect((await api.search(key)).status).toBe(200)

    const answered = new Set<unknown>()
    const client = async () => {
      for (;;) answered.add((await api.search(key)).body["request_id"])
    }
    const clients = Promise.allSettled(Array.from({ length: 8 }, client))
    await until(() => answered.size >= 20)
    line.cut()
    const before = answered.size
    await until(() => answered.size >= before + 60)
    await api.kill()
    await clients

    await line.mend()
    await api.start()
    vi.stubEnv("FOSSICK_STATE", server.url("outage"))
    await until(async () => (await counted(folder.path, key)).calls > answered.size)
    using db = await openStateStore(folder.path)
    const rows = await statement(db, "select request_id from call_log").all()
    expect(answered.isSubsetOf(new Set(rows.map((row) => row["request_id"])))).toBe(true)
    const { calls, requests, days, credits } = await counted(folder.path, key)
    expect([requests, days, credits]).toEqual([calls, calls, calls])
    // Each client may have one call that was counted but not answered.
    expect(calls).toBeLessThanOrEqual(1 + answered.size + 8)
  })
})
