import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, openStateStore, Sources, type StateStore } from "#crawler"
import { defineSource } from "#crawler/source.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import type { Resolve } from "#crawler/fetch/guard/address-guard.ts"
import { FakeInternet } from "#crawler/testing/fake-internet.ts"
import { shareFor, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { finishedMessage } from "#crawler/reporting/webhooks/webhook-messages.ts"
import { WebhookQueue } from "#crawler/reporting/webhooks/webhook-queue.ts"
import { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import type { Engine, PageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { CallLog } from "../../identity/accounts/call-log.ts"
import { FeedbackStore } from "../../identity/accounts/feedback-store.ts"
import {
  type Answer,
  answerOf,
  expectDocumented,
  SEARCH_KEY,
  type ServedApp,
  serveApp,
  TEST_KEY,
} from "../../testing/serve-app.ts"
import { apiSettings } from "../../settings.ts"
import { adminRouter } from "./admin-router.ts"
import { openAdmin } from "./open-admin.ts"

/** No page is ever requested from this address. */
const SEEDS = ["https://docs.example.com/"]

describe("the admin API", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-admin-"))
  const opened = new AsyncDisposableStack()
  let db: StateStore
  let engine: Engine
  let jobs: Jobs
  let sources: Sources
  let site: TestSite
  let app: ServedApp

  beforeAll(async () => {
    vi.stubEnv("DOCS_PASSWORD", "hunter2")
    db = await openStateStore(folder)
    const embedder = new HashingEmbedder()
    engine = opened.use(await EmbeddedEngine.open({ dir: join(folder, "index"), mode: "write", embedder }))
    site = opened.use(
      await startTestSite({
        "/": article("Home", { links: ["/pumps", "/seals"] }),
        "/pumps": article("Pumps"),
        "/seals": article("Seals"),
      }),
    )
    jobs = new Jobs(db)
    sources = new Sources(db, jobs)
    const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
    const crawlerConfig = testConfig({
      FOSSICK_ALLOWED_NETWORKS: site.authority,
      FOSSICK_API_SECRETS: "DOCS_PASSWORD,UNSET_PASSWORD",
    })
    const admin = () => openAdmin({ db, engine, jobs, crawlerConfig, engineConfig })
    app = opened.use(await serveApp({ engine, admin }))
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await opened.disposeAsync()
    db.close()
    rmSync(folder, { recursive: true })
  })

  async function call(method: string, path: string, body?: unknown, key: string | null = TEST_KEY) {
    const response = await fetch(`${app.url}/admin${path}`, {
      method,
      headers: {
        ...(key !== null && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const answer = await answerOf(response)
    expectDocumented(method, `/admin${path}`, answer)
    return answer
  }
  const errorOf = ({ status: code, body }: Answer) => [code, body.detail.error]

  /** Runs a source's queued jobs, as the crawler process would. */
  async function work(
    name: string,
    {
      networks = site.authority,
      resolve,
      env = {},
    }: { networks?: string; resolve?: Resolve; env?: object } = {},
  ): Promise<number> {
    const [job] = await jobs.open(name)
    const config = testConfig({ FOSSICK_ALLOWED_NETWORKS: networks, ...env })
    const signal = new AbortController().signal
    await runJob(job!.id, {
      db,
      jobs,
      engine,
      config,
      share: shareFor(config),
      signal,
      whenAborted: "queued",
      ...(resolve && { resolve }),
    })
    return job!.id
  }

  test("accepts only keys with the admin role, and only in the header", async () => {
    expect((await call("GET", "/sources", undefined, null)).status).toBe(401)
    expect((await call("GET", "/sources", undefined, "guess")).status).toBe(401)
    expect((await call("POST", "/try", { api_key: TEST_KEY, url: SEEDS[0] }, null)).status).toBe(401)
    expect(errorOf(await call("GET", "/sources", undefined, SEARCH_KEY))).toEqual([
      403,
      "This key can only search. The admin API needs a key with the role admin.",
    ])
    // Callers without permission don't learn what exists.
    expect((await call("GET", "/sources/none", undefined, SEARCH_KEY)).status).toBe(403)
    const allowed = await call("GET", "/sources")
    expect(allowed.status).toBe(200)
    expect(allowed.headers.get("cache-control")).toBe("no-store")
  })

  test("lists callers' feedback, newest first", async () => {
    const store = new FeedbackStore(db)
    const given = { keyId: "key", requestId: "asked", sessionId: "" }
    await store.add({ ...given, id: "first", at: 1000, fields: { human_score: 1 } })
    await store.add({ ...given, id: "second", at: 2000, fields: { comment: "not what I meant" } })
    const { body } = await call("GET", "/feedback?limit=1")
    expect(body).toEqual({
      feedback: [
        {
          feedback_id: "second",
          at: "1970-01-01T00:00:02.000Z",
          key_id: "key",
          request_id: "asked",
          session_id: "",
          comment: "not what I meant",
        },
      ],
      total: 2,
      limit: 1,
      offset: 0,
    })
    expect((await call("GET", "/feedback?offset=1")).body.feedback).toMatchObject([{ human_score: 1 }])
  })

  test("is documented in the handbook, call by call", async () => {
    const crawlerConfig = testConfig()
    const router = adminRouter(
      await openAdmin({
        db,
        engine,
        jobs,
        crawlerConfig,
        engineConfig: readSettings(engineSettings, { FOSSICK_DATA_DIR: folder }),
      }),
      { verify: async () => null },
      { bodyLimit: 1024, apiSettings },
    )
    const served = router.stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== "HEAD").map((method) => `${method} ${String(path)}`),
    )
    const page = readFileSync(join(import.meta.dirname, "../../../docs/admin-api.md"), "utf8")
    const documented = [...page.matchAll(/^\| (`[A-Z]+ \/[^|]*`) \|/gm)].flatMap(([, cell = ""]) => {
      const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map((code) => code[1] ?? "")
      const [method = "", path = ""] = first.replace(/\?.*/, "").split(" ")
      // `/resume` after a call means the same call with a different last path segment.
      const also = others.map((step) => path.replace(/\/[^/]*$/, step))
      return [path, ...also].map((one) => `${method} ${one.replaceAll(/\{(\w+)\}/g, ":$1")}`)
    })
    expect(documented.sort()).toEqual(served.sort())
  })

  test("answers every wrong call in the same error envelope", async () => {
    expect((await call("GET", "/nothing")).status).toBe(404)
    expect((await call("PATCH", "/sources")).status).toBe(405)
    expect((await call("QUERY", "/sources")).status).toBe(405)
    expect(errorOf(await call("GET", "/jobs?limit="))).toEqual([
      400,
      "Invalid limit. It is empty; leave it out instead.",
    ])
    expect(errorOf(await call("PUT", "/sources/x", "{"))).toEqual([
      400,
      "The request body is not valid JSON.",
    ])
    expect(errorOf(await call("GET", "/jobs?limit=0"))).toEqual([
      400,
      "Invalid limit. Must be a whole number from 1 to 1000.",
    ])
    expect(errorOf(await call("GET", "/jobs?state=lost"))).toEqual([
      400,
      "Invalid state. Must be one of queued, running, paused, finished, failed, cancelled.",
    ])
    expect(errorOf(await call("POST", "/removals/approve", { sauce: "x" }))[0]).toBe(422)
  })

  describe("sources", () => {
    test("can be declared, read, changed and deleted", async () => {
      const created = await call("PUT", "/sources/docs", {
        seeds: SEEDS,
        schedule: "15 3 * * *",
        login: { kind: "basic", user: "ada", password: "${DOCS_PASSWORD}" },
      })
      expect([created.status, created.body]).toMatchObject([
        201,
        {
          name: "docs",
          origin: "api",
          paused: false,
          last_job: null,
          source: {
            seeds: SEEDS,
            limits: { pages: 10_000 },
            login: { kind: "basic", password: "${DOCS_PASSWORD}" },
          },
        },
      ])
      expect(new Date(created.body.next_run_at).toISOString()).toBe(created.body.next_run_at)
      expect((await call("GET", "/sources/docs")).body).toEqual(created.body)

      const changed = await call("PUT", "/sources/docs", { seeds: SEEDS, exclude: ["/draft/**"] })
      expect([changed.status, changed.body.source.exclude, changed.body.next_run_at]).toEqual([
        200,
        ["/draft/**"],
        null,
      ])
      expect((await call("DELETE", "/sources/docs")).body).toEqual({
        name: "docs",
        deleted: true,
        remove_pages: false,
      })
      expect(errorOf(await call("GET", "/sources/docs"))).toEqual([404, 'There is no source "docs".'])
      expect((await call("DELETE", "/sources/docs")).status).toBe(404)
    })

    test("crawled once but not declared are listed, shown and deleted, but cannot be run", async () => {
      const { source } = await new Jobs(db).enqueue(defineSource({ seeds: ["https://once.example/"] }))
      const path = `/sources/${encodeURIComponent(source.name)}`
      const { sources: listed, total } = (await call("GET", "/sources")).body
      expect([listed, total]).toMatchObject([
        [{ name: source.name, origin: "one-off", next_run_at: null }],
        1,
      ])
      expect((await call("GET", path)).body).toEqual(listed[0])
      expect((await call("GET", `${path}/written`)).body).toMatchObject({ origin: "one-off" })
      expect((await call("GET", `${path}/next-runs`)).body).toMatchObject({ next_runs: [] })
      for (const action of ["run", "pause", "resume"]) {
        expect(errorOf(await call("POST", `${path}/${action}`))).toEqual([
          409,
          `"${source.name}" is a one-off crawl, which cannot be run or paused. Declare it first: PUT /admin${path}.`,
        ])
      }
      expect((await call("DELETE", path)).body).toMatchObject({ deleted: true, remove_pages: false })
      expect((await call("GET", "/sources")).body).toMatchObject({ sources: [], total: 0 })
      expect((await call("DELETE", path)).status).toBe(404)
      await sources.removed(source.name)
    })

    test("with errors are rejected, naming every wrong field", async () => {
      const { status: code, body } = await call("PUT", "/sources/docs", {
        seeds: ["ftp://x/"],
        scope: "hosts",
        limits: { pages: 0 },
      })
      expect(code).toBe(422)
      const fields = body.detail.problems.map(({ field }: { field: string }) => field)
      expect(fields).toContain("scope")
      expect(fields).toContain("limits.pages")
      expect(errorOf(await call("PUT", "/sources/docs", { name: "other", seeds: SEEDS }))).toEqual([
        422,
        "name must be docs, as in the path.",
      ])
      expect((await call("GET", "/sources/docs")).status).toBe(404)
    })

    test("from the file can be changed only there", async () => {
      await sources.put({ name: "of-file", seeds: SEEDS }, "file")
      for (const refused of [
        await call("PUT", "/sources/of-file", { seeds: SEEDS }),
        await call("DELETE", "/sources/of-file"),
      ]) {
        expect(refused.status).toBe(409)
        expect(refused.body.detail.error).toContain("sources file")
      }
      expect((await call("GET", "/sources/of-file")).body.origin).toBe("file")
      await sources.delete("of-file", { origin: "file" })
    })

    test("never show a secret, and reject the placeholder that hides one", async () => {
      const login = { kind: "headers", headers: { "X-Team": "s3cret", "X-Token": "${TOKEN}" } }
      await sources.put({ name: "hidden", seeds: SEEDS, login }, "file")
      const shown = await call("GET", "/sources/hidden")
      expect(shown.body.source.login.headers).toEqual({ "X-Team": "(hidden)", "X-Token": "${TOKEN}" })
      const { id } = (await sources.run("hidden"))!
      const answers = [shown, await call("GET", "/sources"), await call("GET", `/jobs/${id}`)]
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain("s3cret")
      await jobs.cancel(id)
      await sources.delete("hidden", { origin: "file" })
      const refused = await call("PUT", "/sources/hidden", shown.body.source)
      expect(errorOf(refused)).toEqual([422, expect.stringContaining("login has (hidden)")])
    })

    test("cannot refer to secrets outside the API's, wherever they put them", async () => {
      const webhook = { url: "https://hooks.example.com/", events: ["finished"] }
      for (const [fields, field] of [
        [{ login: { kind: "basic", user: "a", password: "${HOME_KEY}" } }, "login.password"],
        [{ login: { kind: "basic", user: "a", password: "file:/etc/passwd" } }, "login.password"],
        [
          {
            login: {
              kind: "headers",
              headers: { "X-Token": "${DOCS_PASSWORD}", "X-Team": "Bearer ${HOME_KEY}" },
            },
          },
          "login.headers.X-Team",
        ],
        [{ login: { kind: "cookies", cookies: { session: "file:/etc/passwd" } } }, "login.cookies.session"],
        [{ webhooks: [{ ...webhook, secret: "file:/etc/passwd" }] }, "webhooks.0.secret"],
        [
          {
            login: { kind: "basic", user: "a", password: "${DOCS_PASSWORD}" },
            observers: [
              {
                name: "a",
                login: { kind: "basic", user: "b", password: "${HOME_KEY}" },
                readers: "everybody",
              },
            ],
          },
          "observers.0.login.password",
        ],
        [{ caFile: "/etc/passwd" }, "caFile"],
        [{ clientCert: { cert: "file:/etc/passwd", key: "${DOCS_PASSWORD}" } }, "clientCert.cert"],
        [{ clientCert: { cert: "${DOCS_PASSWORD}", key: "${HOME_KEY}" } }, "clientCert.key"],
      ] as const) {
        const refused = await call("PUT", "/sources/thief", { seeds: SEEDS, ...fields })
        expect(errorOf(refused)).toEqual([422, expect.stringContaining(`${field} may not`)])
      }
      expect((await call("GET", "/sources/thief")).status).toBe(404)
    })

    test("are run several at once, all of them or none, and when they are declared", async () => {
      for (const name of ["one", "two", "three"]) await sources.put({ name, seeds: SEEDS })
      await sources.pause("three")
      const before = await jobs.count()
      for (const [body, field] of [
        [{}, "names"],
        [{ names: ["one"], all: true }, "names"],
        [{ names: ["one", "tow"] }, "names[1]"],
      ] as const) {
        const { status, body: told } = await call("POST", "/sources/run", body)
        expect([status, told.detail.problems[0].field]).toEqual([422, field])
      }
      expect(await jobs.count()).toBe(before)
      const some = await call("POST", "/sources/run", { names: ["two", "two", "three"] })
      expect([some.status, some.body.jobs.map((job: { source: string }) => job.source)]).toEqual([
        202,
        ["two", "three"],
      ])
      const all = await call("POST", "/sources/run", { all: true })
      const names = all.body.jobs.map((job: { source: string }) => job.source)
      expect(names).toEqual(expect.arrayContaining(["one", "two"]))
      expect(names).not.toContain("three")
      const at = names.indexOf("two")
      expect(all.body.jobs[at].id).toBe(some.body.jobs[0].id)
      expect((await call("PUT", "/sources/four?run=true", { seeds: SEEDS })).body.last_job.state).toBe(
        "queued",
      )
      for (const name of ["one", "two", "three", "four"]) await sources.delete(name)
    })

    test("are rejected if they could not work: unset secrets, private receivers, the handbook's name", async () => {
      const login = { kind: "basic", user: "ada", password: "${UNSET_PASSWORD}" }
      const webhooks = [{ url: "http://localhost:9000/hook" }, { url: "https://hooks.example.com/" }]
      const refused = await call("PUT", "/sources/docs", { seeds: SEEDS, login, webhooks })
      expect([refused.status, refused.body.detail.problems]).toEqual([
        422,
        [
          {
            field: "webhooks[0].url",
            message: "must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
          },
          { field: "login.password", message: expect.stringContaining("${UNSET_PASSWORD} is not set") },
        ],
      ])
      const named = await call("PUT", "/sources/handbook", { seeds: SEEDS })
      expect([named.status, named.body.detail.problems[0].field]).toEqual([422, "name"])
      expect(await sources.get("handbook")).toBeNull()
    })

    test("cannot open networks that the operator did not open, wherever they name them", async () => {
      for (const [fields, field] of [
        [{ seeds: ["http://127.0.0.1:9/"] }, "seeds[0] must not be a private address"],
        [{ seeds: [...SEEDS, "http://localhost/"] }, "seeds[1] must not be a private address"],
        [{ seeds: ["http://2130706433/"] }, "seeds[0] must not be a private address"],
        [{ seeds: ["http://169.254.169.254/latest/"] }, "seeds[0] must not lead to a cloud metadata"],
        [{ seeds: ["http://metadata.google.internal/"] }, "seeds[0] must not lead to a cloud metadata"],
        [{ seeds: ["http://[fd00:ec2::254]/"] }, "seeds[0] must not lead to a cloud metadata"],
        [{ seeds: SEEDS, feeds: ["http://10.0.0.1/feed"] }, "feeds[0] must not be a private address"],
        [{ seeds: SEEDS, sitemaps: ["http://[::1]/"] }, "sitemaps[0] must not be a private address"],
        [
          {
            seeds: SEEDS,
            login: { kind: "form", url: "http://10.0.0.1/", fields: { pass: "${DOCS_PASSWORD}" } },
          },
          "login.url must not be a private address",
        ],
        [
          {
            seeds: SEEDS,
            login: { kind: "basic", user: "a", password: "${DOCS_PASSWORD}" },
            observers: [
              {
                name: "a",
                login: {
                  kind: "form",
                  url: "http://10.0.0.1/",
                  fields: { pass: "${DOCS_PASSWORD}" },
                  proof: "In",
                },
                readers: "everybody",
              },
            ],
          },
          "observers[0].login.url must not be a private address",
        ],
        [
          { seeds: SEEDS, allowedNetworks: ["0.0.0.0/0"] },
          "allowedNetworks[0] may not be opened over the API",
        ],
        [
          { seeds: SEEDS, allowedNetworks: ["intranet"] },
          "allowedNetworks[0] may not be opened over the API",
        ],
        [
          { seeds: SEEDS, allowedNetworks: ["169.254.169.254"] },
          "allowedNetworks[0] must not name a cloud metadata",
        ],
      ] as const) {
        expect(errorOf(await call("PUT", "/sources/spy", fields))).toEqual([
          422,
          expect.stringContaining(field),
        ])
      }
      expect((await call("GET", "/sources/spy")).status).toBe(404)
      const opened = { seeds: [site.url("/")], allowedNetworks: [site.authority] }
      expect((await call("PUT", "/sources/open", opened)).status).toBe(201)
      await call("DELETE", "/sources/open")
    })

    test("cannot override a site's wishes, however that is written", async () => {
      const problemsWith = async (fields: object) => {
        const { status, body: told } = await call("PUT", "/sources/rude", { seeds: SEEDS, ...fields })
        expect(status).toBe(422)
        return told.detail.problems.map(({ field }: { field: string }) => field)
      }
      const own = site.url("/")
      expect(await problemsWith({ ignoreNoindex: true })).toEqual(["ignoreNoindex"])
      expect(await problemsWith({ seeds: [own], ignoreNoindex: true })).toEqual(["ignoreNoindex"])
      expect(await problemsWith({ politeness: { robots: false } })).toEqual(["politeness.robots"])
      expect(await problemsWith({ seeds: [own], politeness: { robots: false } })).toEqual([
        "politeness.robots",
      ])
      expect(await problemsWith({ politeness: { delayMs: 0, concurrency: 64 } })).toEqual([
        "politeness.delayMs",
        "politeness.concurrency",
      ])
      // One host that isn't yours is enough, even if its addresses are only listed.
      expect(await problemsWith({ seeds: [own, ...SEEDS], politeness: { delayMs: 999 } })).toEqual([
        "politeness.delayMs",
      ])
      expect(await problemsWith({ seeds: own, feeds: SEEDS[0], politeness: { concurrency: 2 } })).toEqual([
        "politeness.concurrency",
      ])
      expect(await problemsWith({ seeds: own, politeness: { concurrency: 64 } })).toEqual([
        "politeness.concurrency",
      ])
      expect((await call("GET", "/sources/rude")).status).toBe(404)
      for (const fields of [
        { seeds: SEEDS, politeness: { delayMs: 1000, concurrency: 1, robots: true } },
        { seeds: SEEDS, politeness: { delayMs: null, concurrency: null, robots: null } },
        { seeds: [own], politeness: { delayMs: 0, concurrency: 32 } },
      ]) {
        expect((await call("PUT", "/sources/polite", fields)).body.origin).toBe("api")
      }
      await call("DELETE", "/sources/polite")
    })

    test("obey their sites even if an earlier version stored that they need not", async () => {
      const fields = { seeds: SEEDS, ignoreNoindex: true, politeness: { robots: false, delayMs: 0 } }
      await sources.put({ name: "older", ...fields })
      await sources.put({ name: "ours", ...fields }, "file")
      const said = async (name: string) => {
        const { ignoreNoindex, politeness } = (await call("GET", `/sources/${name}`)).body.source
        const { delay_ms } = (await call("GET", `/sources/${name}/full-crawl`)).body
        return [ignoreNoindex, politeness.robots, delay_ms]
      }
      expect(await said("older")).toEqual([false, null, 1000])
      expect(await said("ours")).toEqual([true, false, 0])
      const { source } = (await sources.get("ours"))!
      const ofApi = await jobs.enqueue({ ...source, name: "older" }, { author: "api" })
      expect(ofApi.source).toMatchObject({ ignoreNoindex: false, politeness: { robots: null } })
      await jobs.cancel(ofApi.id)
      await sources.delete("older")
      await sources.delete("ours", { origin: "file" })
    })

    test("do not tell which names lead into a private network", async () => {
      using internet = new FakeInternet({ "inside.example": "127.0.0.1" })
      const resolve: Resolve = (hostname, options, callback) => {
        if (hostname !== "unsure.example") {
          internet.resolve(hostname, options, callback)
          return
        }
        internet.lookups.push(hostname)
        callback(Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }), [])
      }
      const hosts = ["inside.example", "unknown.example", "unsure.example"]
      const { port } = new URL(site.origin)
      const answers = hosts.map(async (host, index) => {
        const seeds = ["", "a", "b"].map((path) => `http://${host}:${port}/${path}`)
        const [seed = ""] = seeds
        const name = `probe${index}`
        await call("PUT", `/sources/${name}`, { seeds, rendering: "http" })
        await call("POST", `/sources/${name}/run`, {})
        const working = work(name, { resolve, networks: "", env: { FOSSICK_RETRY_DELAY_MS: "1000" } })
        const [open] = await jobs.open(name)
        const why = async () => (await call("GET", `/jobs/${open!.id}`)).body.waits[0]?.why
        await expect
          .poll(why, { interval: 10 })
          .toBe("the host was not found, or is in a network that may not be read")
        const id = await working
        const { body: job } = await call("GET", `/jobs/${id}`)
        const told = {
          job: [job.outcomes, job.failures, job.error, job.note, job.result, job.reason],
          log: job.log.map(({ text }: { text: string }) => text),
          addresses: (await call("GET", `/jobs/${id}/addresses?outcome=failed`)).body,
          why: (await call("GET", `/why?url=${encodeURIComponent(seed)}`)).body,
          last: (await call("GET", `/sources/${name}`)).body.last_result.reason,
          told: finishedMessage((await jobs.get(id))!, new Date(0)),
          tries: internet.lookups.filter((lookup) => lookup === host).length,
        }
        await call("DELETE", `/sources/${name}`)
        return JSON.stringify(told)
          .replaceAll(host, "HOST")
          .replaceAll(name, "probe")
          .replaceAll(`job ${id}`, "job")
          .replace(/\d{4}-\d\d-\d\d[^",;\\]*/g, "")
          .replaceAll(/\\*"job_id\\*":\d+/g, "")
      })
      const [inside, unknown, unsure] = await Promise.all(answers)
      expect(inside).toContain("failed:dns")
      expect(inside).toContain("was given up for this run: the host was not found, or is in a network")
      expect(inside).toBe(unknown)
      expect(inside).toBe(unsure)
    })

    test("report how long a full crawl takes, before it and from its results after it", async () => {
      const seeds = ["https://docs.example/", "https://wiki.example/"]
      await call("PUT", "/sources/large", { seeds, limits: { pages: 500 }, politeness: { delayMs: 2000 } })
      const told = async () => (await call("GET", "/sources/large/full-crawl")).body
      expect(await told()).toEqual({
        name: "large",
        pages: 500,
        pages_known: false,
        seconds: 500,
        delay_ms: 2000,
      })
      const { body: job } = await call("POST", "/sources/large/run", {})
      const urls = ["https://docs.example/", "https://docs.example/a?b=/c", "https://wiki.example/x/y"]
      const ended = urls.map((url) => ({ url: url as PageUrl, outcome: "indexed" as const, detail: null }))
      await new KnownAddresses(db).record((await jobs.get(job.id))!, ended)
      expect(await told()).toMatchObject({ pages: 3, pages_known: true, seconds: 4 })
      expect((await call("GET", "/sources/none/full-crawl")).status).toBe(404)
      await call("DELETE", "/sources/large")
    })

    test("are paused and resumed, and say when they run", async () => {
      await call("PUT", "/sources/nightly", {
        seeds: SEEDS,
        schedule: { cron: "15 3 * * *", timeZone: "Europe/Paris" },
      })
      const runs = await call("GET", "/sources/nightly/next-runs?count=3")
      expect(runs.body.next_runs).toHaveLength(3)
      expect((await call("POST", "/sources/nightly/pause")).body).toMatchObject({
        paused: true,
        next_run_at: null,
      })
      expect((await call("GET", "/sources/nightly/next-runs")).body.next_runs).toEqual([])
      expect((await call("POST", "/sources/nightly/resume", {})).body.paused).toBe(false)
      expect((await call("POST", "/sources/none/pause")).status).toBe(404)
      expect((await call("POST", "/sources/nightly/pause", { for: "ever" })).status).toBe(422)
      await call("DELETE", "/sources/nightly")
    })

    test("are listed in pages, including one with the name of an endpoint", async () => {
      for (const name of ["a", "search", "z z"]) {
        expect((await call("PUT", `/sources/${encodeURIComponent(name)}`, { seeds: SEEDS })).status).toBe(201)
      }
      const { body } = await call("GET", "/sources?limit=1&offset=1")
      expect(body).toMatchObject({ total: 3, limit: 1, offset: 1, sources: [{ name: "search" }] })
      expect((await call("GET", "/sources/search")).body.name).toBe("search")
      for (const name of ["a", "search", "z%20z"]) {
        expect((await call("DELETE", `/sources/${name}`)).status).toBe(200)
      }
    })
  })

  test("runs a source, follows its job, traces its pages and undoes its removals", async () => {
    await call("PUT", "/sources/site", { seeds: [site.url("/")], rendering: "http" })
    const asked = await call("POST", "/sources/site/run", { visits: "all" })
    expect([asked.status, asked.body]).toMatchObject([
      202,
      { source: "site", trigger: "api", visits: "all", state: "queued" },
    ])
    expect((await call("POST", "/sources/none/run")).status).toBe(404)
    expect((await call("POST", "/sources/site/run", { visits: "some" })).status).toBe(422)

    // The run can be paused and resumed before a worker takes it.
    const id = asked.body.id
    expect((await call("POST", `/jobs/${id}/pause`)).body.state).toBe("paused")
    expect(errorOf(await call("POST", `/jobs/${id}/pause`))).toEqual([
      409,
      `Job ${id} is paused: there is nothing to pause.`,
    ])
    expect((await call("POST", `/jobs/${id}/resume`)).body.state).toBe("queued")
    await work("site")

    const done = (await call("GET", `/jobs/${id}`)).body
    expect(done).toMatchObject({
      state: "finished",
      outcomes: { indexed: 3 },
      failures: [],
      settings: { name: "site", seeds: [site.url("/")] },
    })
    expect(done.log.map(({ text }: { text: string }) => text)).toContain("finished")
    expect(errorOf(await call("POST", `/jobs/${id}/cancel`))[0]).toBe(409)
    expect(done).toMatchObject({
      result: "finished",
      reason: null,
      changes: { new: 3, changed: 0, gone: 0 },
      checked_by_copy: { pages: 0, spared_bytes: 0 },
    })

    // Lists every address with its outcome, a few at a time.
    const listed: string[] = []
    for (let after = ""; ;) {
      const path = `/jobs/${id}/addresses?outcome=indexed&limit=2${after}`
      const { addresses, counted, next } = (await call("GET", path)).body
      expect(counted).toBe(3)
      listed.push(...addresses.map(({ url }: { url: string }) => url))
      if (next === null) break
      after = `&after=${encodeURIComponent(next)}`
    }
    expect(listed).toEqual(["/", "/pumps", "/seals"].map((path) => site.url(path)))
    expect((await call("GET", `/jobs/${id}/addresses?outcome=failed`)).body).toMatchObject({
      addresses: [],
      counted: 0,
      next: null,
    })
    expect(errorOf(await call("GET", `/jobs/${id}/addresses?outcome=lost`))[1]).toMatch(/^Invalid outcome\./)
    expect(errorOf(await call("GET", `/jobs/${id}/addresses?after=somewhere`))[1]).toMatch(/^Invalid after\./)
    expect((await call("GET", "/jobs/999999/addresses")).status).toBe(404)
    expect((await call("GET", "/jobs/999999")).status).toBe(404)
    expect((await call("GET", "/jobs/1e3")).status).toBe(404)
    expect(errorOf(await call("GET", "/jobs?source=sitee"))).toEqual([
      400,
      'Invalid source. There is no source "sitee"; did you mean "site"?',
    ])
    const nearest = 'There is no source "sitee"; did you mean "site"?'
    expect(errorOf(await call("GET", "/removals?source=sitee"))).toEqual([400, `Invalid source. ${nearest}`])
    for (const change of ["approve", "reject", "restore"]) {
      const refused = await call("POST", `/removals/${change}`, { source: "sitee" })
      expect([refused.status, refused.body.detail.problems]).toEqual([
        422,
        [{ field: "source", message: 'is unknown: there is no source "sitee"; did you mean "site"?' }],
      ])
    }
    const list = (await call("GET", "/jobs?source=site&state=finished")).body
    expect(list).toMatchObject({ total: 1, offset: 0, jobs: [{ id, removals: { removed: 0, held: 0 } }] })
    const [entry] = (await call("GET", "/sources")).body.sources
    expect(entry).toMatchObject({
      name: "site",
      pages: 3,
      pages_with_vectors: expect.any(Number),
      last_result: {
        job_id: id,
        result: "finished",
        reason: null,
        new: 3,
        changed: 0,
        gone: 0,
        failed: 0,
        skipped: 0,
      },
      last_job: { id, state: "finished", result: "finished" },
    })
    expect((await call("GET", "/sources/site")).body).toEqual(entry)

    const { index, machine } = (await call("GET", "/index")).body
    expect(index).toMatchObject({ engine: "embedded", pages: 3 })
    expect(machine.disk_free_bytes).toBeGreaterThan(0)
    expect(machine.disk_bytes).toBeGreaterThanOrEqual(machine.disk_free_bytes)
    expect(machine.memory_bytes).toBeGreaterThan(machine.process_memory_bytes)
    expect(machine.process_memory_bytes).toBeGreaterThan(0)

    const query = encodeURIComponent("how are pumps set up")
    const trace = (await call("GET", `/why?url=${encodeURIComponent(site.url("/pumps"))}&query=${query}`))
      .body
    expect(trace).toMatchObject({ url: site.url("/pumps"), in_index: true })
    expect(trace.steps.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["found", "outcome", "index", "rank"]),
    )
    expect(errorOf(await call("GET", "/why?url=pumps"))).toEqual([
      400,
      "Invalid url. Must be an http or https address.",
    ])

    // If two of three pages are gone, a run may not remove them without confirmation.
    site.serve({ "/pumps": status(410), "/seals": status(410) })
    await call("POST", "/sources/site/run")
    const second = await work("site")
    const held = (await call("GET", "/removals")).body
    expect(held).toMatchObject({
      total: 2,
      removals: [{ url: site.url("/pumps"), state: "held", source: "site", job_id: second }, {}],
      held: [{ source: "site", pages: 2, of_pages: 3, job_id: second }],
    })
    expect((await call("POST", "/removals/approve", { source: "site" })).body).toEqual({
      source: "site",
      pages: 2,
    })
    expect((await call("POST", "/removals/reject", { source: "site" })).status).toBe(409)
    expect((await call("GET", "/removals?state=approved&source=site&limit=1")).body).toMatchObject({
      total: 2,
      limit: 1,
      removals: [{ state: "approved" }],
    })
    expect((await call("POST", "/removals/restore", { urls: [site.url("/pumps")] })).status).toBe(409)
    expect((await call("POST", "/removals/restore", { source: "site", job_id: 1 })).status).toBe(422)
  })

  test("tries a page with a source's settings, and reaches no private address that no source names", async () => {
    const started = await jobs.count()
    const refused = await call("POST", "/try", { url: "http://127.0.0.1:9/", rendering: "http" })
    expect(refused.body).toMatchObject({ outcome: "failed:dns", page: null })
    await sources.put({ name: "tried", seeds: [site.url("/")], rendering: "http", pages: { country: "fr" } })
    const tried = (await call("POST", "/try", { url: site.url("/"), source: "tried" })).body
    expect(tried).toMatchObject({
      source: "tried",
      belongs: true,
      outcome: "indexed",
      robots: { obeyed: true, allowed: true },
      reading: { status: 200, content_type: "text/html", links: { total: 2, followed: 2 } },
      page: { title: "Home", country: "fr", passages: [{ text: expect.any(String) }] },
    })
    expect((await call("POST", "/try", { url: site.url("/"), source: "none" })).status).toBe(404)
    expect((await call("POST", "/try", { url: "x" })).status).toBe(422)
    const login = { kind: "basic", user: "ada", password: "${NOT_SET_ANYWHERE}" }
    await sources.put({ name: "locked", seeds: [site.url("/")], rendering: "http", login })
    expect(errorOf(await call("POST", "/try", { url: site.url("/"), source: "locked" }))).toEqual([
      409,
      expect.stringContaining("${NOT_SET_ANYWHERE}"),
    ])
    await sources.delete("locked")
    expect(await jobs.count()).toBe(started)
    await sources.delete("tried")
  })

  test("returns a page as indexed, with the links to it, and triggers a full visit", async () => {
    site.serve({
      "/linked/": article("Start", { links: ["/linked/pumps", "/linked/seals"] }),
      "/linked/pumps": article("Linked pumps"),
      "/linked/seals": article("Linked seals"),
    })
    await sources.put({ name: "linked", scope: "prefix", seeds: [site.url("/linked/")], rendering: "http" })
    await sources.run("linked", { trigger: "api" })
    await work("linked")
    const url = site.url("/linked/pumps")
    const shown = async () => (await call("GET", `/page?url=${encodeURIComponent(url)}`)).body
    const before = await shown()
    expect(before).toMatchObject({
      url,
      page: {
        title: "Linked pumps",
        passages_total: 1,
        passages: [{ text: expect.stringContaining("Linked pumps") }],
      },
      linked_from: { pages: [{ url: site.url("/linked/"), source: "linked" }], all: true },
    })
    expect(before.known).toMatchObject([
      { source: "linked", found_how: "link", depth: 1, outcome: "indexed" },
    ])
    expect((await call("GET", "/page?url=ftp://x")).status).toBe(400)
    const asked = await call("POST", "/page/recrawl", { url })
    expect(asked).toMatchObject({ status: 202, body: { jobs: [{ source: "linked", visits: "due" }] } })
    expect((await shown()).known[0].due_at).toBeNull()
    const from = site.requests.length
    await work("linked")
    expect(site.requests.slice(from)).toContain("/linked/pumps")
    // Work that was not due was left alone.
    expect(site.requests.slice(from)).not.toContain("/linked/seals")
    expect((await shown()).known[0].due_at).not.toBeNull()
    expect((await call("POST", "/page/recrawl", { url: site.url("/never-met") })).status).toBe(409)
    await sources.delete("linked", { removePages: true })
  })

  test("proposes a source for a site that can be declared as it is, and tells a private address from an unknown name", async () => {
    const inside = (await call("POST", "/sources/propose", { url: "http://127.0.0.1:9/" })).body
    expect(inside).toMatchObject({ url: null, outcome: "failed:blocked-address", pages: [] })
    expect(inside.obstacles).toMatchObject([{ kind: "network", text: "127.0.0.1 isn't a public address." }])
    const unknown = (await call("POST", "/sources/propose", { url: "https://nowhere.invalid/" })).body
    expect(unknown).toMatchObject({ outcome: "failed:dns", obstacles: [{ kind: "address" }] })
    expect((await call("POST", "/sources/propose", { url: "ftp://x" })).status).toBe(422)
    expect((await call("POST", "/sources/propose", { url: site.url("/"), robots: false })).status).toBe(422)

    const before = (await sources.list()).length
    const proposed = (await call("POST", "/sources/propose", { url: site.url("/") })).body
    expect(proposed).toMatchObject({
      asked: site.url("/"),
      outcome: "indexed",
      source: { name: site.authority, seeds: [site.url("/")] },
      pages: [{ title: "Home", outcome: "indexed" }, {}, {}],
      estimate: { pages: 3, from: "links" },
    })
    expect(proposed.requests).toBeLessThanOrEqual(12)
    expect(await sources.list()).toHaveLength(before)
    const name = encodeURIComponent(proposed.source.name)
    expect((await call("PUT", `/sources/${name}`, proposed.source)).status).toBe(201)
    await sources.delete(proposed.source.name)
  })

  test("says what each key used", async () => {
    const entry = {
      depth: "basic",
      seconds: 1,
      keyHint: "x",
      project: "",
      session: "",
      human: "",
      query: null,
    }
    const log = new CallLog(db)
    await log.add({ ...entry, at: Date.now(), requestId: "r", endpoint: "search", credits: 2, keyId: "k1" })
    const { body } = await call("GET", "/usage?key_id=k1&by=month")
    expect(body).toEqual({
      usage: [
        expect.objectContaining({
          time: new Date().toISOString().slice(0, 7),
          key_id: "k1",
          calls: 1,
          credits: 2,
          endpoints: expect.objectContaining({ search: { calls: 1, credits: 2 } }),
        }),
      ],
      days: 30,
      by: "month",
    })
    expect((await call("GET", "/usage?days=0")).status).toBe(400)
  })

  test("lists what was sent to webhooks, and sends it again", async () => {
    const { id } = await jobs.enqueue(
      (
        await sources.put({
          name: "told",
          seeds: SEEDS,
          webhooks: [{ url: "https://hooks.example.com/x", secret: "${HOOK_SECRET}" }],
        })
      ).source,
    )
    await jobs.cancel(id)
    await new WebhookQueue(db).collect()
    const { body } = await call("GET", "/webhooks/deliveries")
    expect(body).toMatchObject({
      total: 1,
      deliveries: [{ source: "told", job_id: id, event: "finished", state: "waiting", attempts: 0 }],
    })
    expect((await call("GET", "/webhooks/deliveries?state=given-up")).body.total).toBe(0)
    const [delivery] = body.deliveries
    expect((await call("POST", `/webhooks/deliveries/${delivery.id}/retry`)).status).toBe(202)
    expect((await call("POST", "/webhooks/deliveries/none/retry")).status).toBe(404)
  })

  test("lists alert messages by channel", async () => {
    const book = new AlertBook(db)
    const notice = { type: "alert.began", subject: "docs: went wrong", text: "See to it.", data: {} } as const
    await book.outbox("email").tell(["ops@example.com"], notice)
    await book.outbox("ntfy").tell(["ntfy.example"], notice)
    const { body } = await call("GET", "/alerts")
    expect(body).toMatchObject({
      mails: [{ recipient: "ops@example.com", subject: "docs: went wrong", state: "waiting" }],
      notifications: [{ channel: "ntfy", recipient: "ntfy.example", attempts: 0 }],
    })
  })
})
