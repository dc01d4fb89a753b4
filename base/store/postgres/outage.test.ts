import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { freePort } from "../../testing/free-port.ts"
import { PostgresError } from "./postgres-error.ts"
import { isStateAway, openStateOnceThere } from "./outage.ts"
import { statement } from "../testing/statement.ts"

let folder: string
const told: string[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fossick-"))
  told.length = 0
  vi.stubEnv("FOSSICK_STATE", `postgres://me@127.0.0.1:${await freePort()}/x`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
const opening = (signal: AbortSignal, then?: () => void) =>
  openStateOnceThere(folder, signal, (why) => {
    told.push(why)
    then?.()
  })

test("an unreachable state server is waited for with one message, and then opens", async () => {
  // The server becomes available after a second failed attempt.
  const db = await opening(new AbortController().signal, () => {
    setTimeout(() => vi.stubEnv("FOSSICK_STATE", ""), 1500)
  })
  expect(told).toEqual([expect.stringMatching(/cannot be reached.* Waiting for it\.$/)])
  expect(await statement(db!, "select 7 as n").get()).toEqual({ n: 7 })
  db!.close()
})

test("a process that is told to end waits no longer", async () => {
  const stop = new AbortController()
  expect(await opening(stop.signal, () => stop.abort())).toBeNull()
  expect(told).toHaveLength(1)
})

test("reports an error at once if waiting cannot fix it", async () => {
  vi.stubEnv("FOSSICK_STATE", "postgres://me@127.0.0.1:99999999/x")
  await expect(opening(new AbortController().signal)).rejects.toThrow("FOSSICK_STATE")
  expect(told).toEqual([])
})

test("tells an unreachable server from one that refuses, and from unrelated errors", () => {
  const away = new PostgresError({ code: "ECONNREFUSED", message: "" })
  const refused = new PostgresError({ code: "42703", message: "no such column" })
  const because = (cause: unknown) => new Error("no search", { cause })
  expect([away, because(away), because(because(away))].map(isStateAway)).toEqual([true, true, true])
  const others = [refused, because(refused), because(undefined), "away", null, { isUnreachable: true }]
  expect(others.map(isStateAway)).toEqual(others.map(() => false))
  // An error from another library that has the same property is not mistaken for an outage.
  expect(isStateAway(Object.assign(new Error("away"), { isUnreachable: true }))).toBe(false)
})
