import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

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

/** The exit code of a process of the appliance that is told to end while the server of its state is away. */
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
  await until(() => said.includes("Waiting for it."))
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
  test("says that the server is away, refuses what needs it, and goes on by itself once it is back", async () => {
    await using server = await PostgresServer.start()
    await using appliance = await startAppliance({ FOSSICK_STATE: server.url(), FOSSICK_HANDBOOK: "off" })
    const { url, apiKey } = appliance
    const ready = async () => {
      const response = await fetch(`${url}/readyz`)
      return { code: response.status, ...((await response.json()) as Readiness) }
    }
    const search = async () => {
      const response = await fetch(`${url}/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "how do I add a source?" }),
      })
      return { code: response.status, text: await response.text() }
    }
    await until(async () => (await ready()).code === 200)
    expect((await search()).code).toBe(200)

    // The key is new, and has to outlive the server.
    server.flush()
    await server.kill()
    await until(async () => (await ready()).code === 503)
    const { status, checks } = await ready()
    expect(status).toBe("not ready")
    expect(checks["state"]).not.toBe("ok")
    const refused = await search()
    expect(refused.code).toBe(503)
    // Nobody is told where the server is, or who it is asked as.
    expect(refused.text).not.toMatch(/127\.0\.0\.1|postgres|ECONN/i)
    // Alive all the same: a supervisor that restarts it would mend nothing.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    await server.up()
    await until(async () => (await ready()).code === 200)
    expect((await search()).code).toBe(200)
  })

  test("goes on with a crawl that was under way", async () => {
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
    await until(() => kill !== undefined)
    await kill
    await until(async () => (await ask("/readyz")).status === 503)
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
