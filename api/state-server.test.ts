import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { Pooler } from "#base/store/testing/pooler.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"

import { startAppliance } from "./testing/appliance.ts"

interface Readiness {
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
}

const ROOT = join(import.meta.dirname, "..")

/** The exit code of an appliance process that is asked to stop while its state server is down. */
async function endedWhileItWaits(program: string, how: "signal" | "lost parent") {
  using folder = temporaryFolder()
  const child = fork(join(ROOT, program), {
    env: {
      ...CHILD_ENV,
      FOSSICK_DATA_DIR: folder.path,
      FOSSICK_ENGINE: "opensearch",
      FOSSICK_STATE: `postgres://fossick@127.0.0.1:${await freePort()}/fossick`,
      FOSSICK_PORT: "0",
    },
    silent: true,
  })
  let said = ""
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (data) => (said += String(data)))
  await until(async () => said.includes("Waiting for it."))
  if (how === "signal") child.kill("SIGTERM")
  else child.disconnect()
  const [code] = (await once(child, "exit")) as [number | null]
  return code
}

test.each(["api/main.ts", "crawler/main.ts", "crawler/crawl/job-worker.ts"])(
  "%s ends when it is told to while it waits for the server of its state",
  async (program) => {
    const how = ["signal", "lost parent"] as const
    expect(await Promise.all(how.map((one) => endedWhileItWaits(program, one)))).toEqual([0, 0])
  },
)

describe("an appliance with its state on a server", { tags: ["postgresql"] }, () => {
  test("says that the server is away, refuses unknown keys, and recovers once the server is back", async () => {
    await using server = await PostgresServer.start()
    await using appliance = await startAppliance({ FOSSICK_STATE: server.url(), FOSSICK_HANDBOOK: "off" })
    const { url, apiKey } = appliance
    const ready = async () => {
      const response = await fetch(`${url}/readyz`)
      return { code: response.status, ...((await response.json()) as Readiness) }
    }
    const search = async (key = apiKey) => {
      const response = await fetch(`${url}/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "how do I add a source?" }),
      })
      return { code: response.status, text: await response.text() }
    }
    await until(async () => (await ready()).code === 200)
    expect((await search()).code).toBe(200)

    // Otherwise a commit less than half a second old would be lost, and the key with it.
    server.flush()
    await server.kill()
    await until(async () => (await ready()).status === "degraded")
    const { code, checks } = await ready()
    expect(code).toBe(200)
    expect(checks["state"]).not.toBe("ok")
    const refused = await search("fsk-that-nobody-has-shown")
    expect(refused.code).toBe(503)
    // No caller learns where the server is, or which user connects to it.
    expect(refused.text).not.toMatch(/127\.0\.0\.1|postgres|ECONN/i)
    // The appliance still counts as healthy: a restart by a supervisor would not help.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    await server.up()
    await until(async () => (await ready()).status === "ready")
    expect((await search()).code).toBe(200)
  })

  test("answers known keys when the server goes away during calls, and counts each call once", async () => {
    const [CLIENTS, KEYS, CALLS] = [32, 4, 5]
    await using server = await PostgresServer.start()
    using line = await Pooler.before(server.port, 5)
    await using appliance = await startAppliance({ FOSSICK_STATE: line.url(), FOSSICK_HANDBOOK: "off" })
    const ask = async (path: string, key: string, body?: object) =>
      await fetch(`${appliance.url}${path}`, {
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      })
    const search = async (key: string) => {
      const { status, body } = await ask("/search", key, { query: "bees", search_depth: "ultra-fast" })
      await body?.cancel()
      return status
    }
    const keys: string[] = []
    for (let n = 0; n < KEYS; n++) {
      const made = await ask("/admin/keys", appliance.apiKey, { name: `client ${n}`, credits: 1000 })
      keys.push(((await made.json()) as { readonly key: string }).key)
    }
    expect(await Promise.all(keys.map(search))).toEqual(keys.map(() => 200))

    let answered = 0
    const client = async (key: string) => {
      for (let calls = 0; calls < CALLS; calls++) {
        expect(await search(key)).toBe(200)
        answered += 1
      }
    }
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(keys[n % KEYS]!)))
    await until(() => answered >= CLIENTS)
    line.cut()
    await clients
    expect((await ask("/healthz", "")).status).toBe(200)
    await line.mend()

    const counted = async () => {
      const usage = await ask("/admin/usage", appliance.apiKey)
      if (!usage.ok) return 0
      const rows = ((await usage.json()) as { readonly usage: readonly { readonly calls: number }[] }).usage
      return rows.reduce((sum, { calls }) => sum + calls, 0)
    }
    await until(async () => (await counted()) >= KEYS + CLIENTS * CALLS)
    expect(await counted()).toBe(KEYS + CLIENTS * CALLS)
  })

  test("continues a running crawl", async () => {
    const PAGES = 10
    const links = Array.from({ length: PAGES - 1 }, (_, page) => `/page-${page}`)
    await using server = await PostgresServer.start()
    let kill: Promise<void> | undefined
    await using site = await startTestSite({
      "/": article("Bees", { links }),
      "*": (request, response) => {
        if (request.url === "/page-5") kill ??= server.kill()
        response.setHeader("content-type", "text/html").end(article(`Hive of ${request.url}`))
      },
    })
    await using appliance = await startAppliance({
      FOSSICK_STATE: server.url(),
      FOSSICK_ALLOWED_NETWORKS: site.authority,
      FOSSICK_HANDBOOK: "off",
    })
    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${appliance.apiKey}`, "content-type": "application/json" }
      return await fetch(`${appliance.url}${path}`, { ...init, headers })
    }
    server.flush()
    const source = { seeds: [site.url("/")], politeness: { delayMs: 50 } }
    expect((await ask("/admin/sources/bees", { method: "PUT", body: JSON.stringify(source) })).ok).toBe(true)
    expect((await ask("/admin/sources/bees/run", { method: "POST" })).ok).toBe(true)
    await until(async () => kill !== undefined)
    await kill
    await until(async () => (await (await ask("/readyz")).text()).includes('"degraded"'))
    await server.up()

    const jobs = async () => {
      const response = await ask("/admin/jobs")
      if (!response.ok) return []
      const said = (await response.json()) as {
        readonly jobs: readonly {
          readonly state: string
          readonly outcomes: Readonly<Record<string, number>>
        }[]
      }
      return said.jobs.map(({ state, outcomes }) => ({ state, indexed: outcomes["indexed"] }))
    }
    await until(async () => (await jobs())[0]?.state === "finished")
    expect(await jobs()).toEqual([{ state: "finished", indexed: PAGES }])
  })
})
