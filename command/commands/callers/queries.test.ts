import { expect, test } from "vitest"

import { once } from "node:events"
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Jobs } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { openAdmin } from "../../../api/operator/admin/open-admin.ts"
import { QueryLog } from "../../../api/services/queries/query-log.ts"
import { FakeEngine, hit } from "../../../api/testing/fake-engine.ts"
import { serveAccounts } from "../../../api/testing/serve-accounts.ts"
import { memoryState } from "../../../api/testing/serve-app.ts"
import { FOSSICK, refusalOf } from "../../testing/fossick.ts"

// `fossick queries` as a program, against an appliance on a socket that stores questions.

test("report shows questions, and clear deletes them after confirmation", async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), "fossick-queries-"))
  opened.defer(() => rm(folder, { recursive: true }))
  const db = opened.use(memoryState())
  const queries = new QueryLog(db, 7)
  const engine = new FakeEngine([hit({ score: 0.9 })])
  const admin = () =>
    openAdmin({
      db,
      engine,
      queries,
      jobs: new Jobs(db),
      crawlerConfig: testConfig(),
      engineConfig: readSettings(engineSettings, { FOSSICK_DATA_DIR: folder }),
    })
  const app = opened.use(await serveAccounts({ engine, queries, admin }))
  const fossick = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [FOSSICK, "queries", ...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        FOSSICK_DATA_DIR: join(folder, "nothing"),
        FOSSICK_PUBLIC_URL: app.url,
        FOSSICK_API_KEY: await app.key({ role: "admin" }),
      },
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    const [code] = (await once(child, "close")) as [number | null]
    return { code, err, lines: out.split("\n").slice(0, -1) }
  }
  const key = await app.key()
  for (const query of ["pump", "seal", "Pump"]) await app.call("/search", key, { query })

  const top = await fossick()
  expect(top.lines).toEqual([
    expect.stringMatching(/^TIMES {2}KEYS .* QUESTION$/),
    expect.stringMatching(/^ +2 +1 +1 +0\.90 .*Z {2}Pump$/),
    expect.stringMatching(/^ +1 +1 +1 +0\.90 .*Z {2}seal$/),
  ])
  const [slowest, ...others] = (await fossick("slow", "--limit", "1", "--json")).lines
  expect([JSON.parse(slowest!), others]).toEqual([expect.objectContaining({ keys: 1, results: 1 }), []])
  expect((await fossick("zero")).lines).toEqual(["No such questions."])
  expect(
    (await fossick("top", "--from", "2026-01-31T00:00:00Z", "--before", "2026-02-01T00:00:00Z")).lines,
  ).toEqual(["No such questions."])
  expect(await fossick("low", "--from", "today")).toMatchObject({
    code: 1,
    err: expect.stringContaining("from"),
  })
  expect((await fossick("clear")).code).toBe(2)
  expect((await fossick("clear", "--yes")).lines).toEqual(["3 questions deleted"])
  expect((await fossick("top")).lines).toEqual(["No such questions."])
})

test("invalid arguments are rejected before any request", async () => {
  expect(await refusalOf("queries", "clear")).toContain("--yes")
  expect(await refusalOf("queries", "top", "--limit", "0")).toContain("--limit must be")
})
