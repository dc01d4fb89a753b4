import { describe, expect, test } from "vitest"

import { NO_POSTGRES, postgresPrograms, PostgresServer } from "#base/store/testing/postgres-server.ts"
import { until } from "#base/testing/until.ts"

import { startAppliance } from "./testing/appliance.ts"

interface Readiness {
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
}

const why = postgresPrograms() === null ? ` (skipped: ${NO_POSTGRES})` : ""

describe.skipIf(why !== "")(`an appliance with its state on a server${why}`, () => {
  test("says that the server is away, refuses what needs it, and goes on by itself once it is back", async () => {
    await using server = await PostgresServer.start()
    await using appliance = await startAppliance({ FOSSICK_STATE: server.url() })
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
})
