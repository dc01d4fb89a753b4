import { describe, expect, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { stateOn } from "#base/store/testing/state-on.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { runChecks } from "./check.ts"
import { isRunning, locksCheck, stateCheck } from "./state-checks.ts"
import type { DoctorSettings } from "./settings-checks.ts"

describe("the state on PostgreSQL", { tags: ["postgresql"] }, () => {
  test("is intact, from another folder, or unreachable, and the doctor says which", async () => {
    using folder = temporaryFolder()
    await using server = await PostgresServer.start()
    using _ = stateOn(server.socketUrl("one"))
    const settings = { dataDir: folder.path } as DoctorSettings
    const texts = async () =>
      (await runChecks([stateCheck(settings)])).flatMap(({ findings }) => findings.map(({ what }) => what))
    expect(await texts()).toEqual([])
    ;(await openStateStore(folder.path)).close()
    expect([await texts(), await locksCheck(settings).run(), await isRunning(folder.path)]).toEqual([
      [],
      [],
      false,
    ])
    process.env["FOSSICK_STATE"] = server.socketUrl("two")
    ;(await openStateStore(folder.path)).close()
    expect(await texts()).toEqual([
      expect.stringContaining("not the one that this data folder was created with"),
    ])
    await server.kill()
    expect(await texts()).toEqual([
      expect.stringContaining("PostgreSQL server that keeps the state cannot be reached"),
    ])
    expect(await locksCheck(settings).run()).toEqual([])
    await server.up()
    // After a failure, no new connection is attempted for a second.
    await expect.poll(texts).toEqual([expect.stringContaining("not the one")])
  })
})
