import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { SqliteStore } from "../sqlite/sqlite-store.ts"
import { statement } from "../testing/statement.ts"
import { emptyState } from "../testing/empty-state.ts"
import { keepAlive } from "./keep-alive.ts"
import { OwnProcess, SIGN_MS } from "./own-process.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

/** A process that keeps itself registered in a state of its own. */
async function kept() {
  const db = emptyState()
  const problems: unknown[] = []
  return { db, problems, alive: await keepAlive(db, "test", (error) => problems.push(error)) }
}
const signs = (db: ReturnType<typeof emptyState>, id: string) =>
  statement(db, "select signs, kind from state_process where id = ?").get(id)

test("a process gives signs of life until it is disposed of, and is gone then", async () => {
  const { db, problems, alive } = await kept()
  using _ = db
  expect(await signs(db, alive.id)).toEqual({ signs: 0, kind: "test" })
  await vi.advanceTimersByTimeAsync(SIGN_MS)
  expect(await signs(db, alive.id)).toEqual({ signs: 1, kind: "test" })
  await vi.advanceTimersByTimeAsync(2 * SIGN_MS)
  expect(await signs(db, alive.id)).toEqual({ signs: 3, kind: "test" })
  expect([await alive.take("role"), problems]).toEqual([true, []])
  await alive[Symbol.asyncDispose]()
  expect(await signs(db, alive.id)).toBeUndefined()
  await vi.advanceTimersByTimeAsync(2 * SIGN_MS)
  expect([await signs(db, alive.id), vi.getTimerCount()]).toEqual([undefined, 0])
})

test("a process looks for ended ones at the start and with each sign", async () => {
  const db = emptyState()
  using _ = db
  const ended = async () => {
    const { id } = await OwnProcess.begin(db, "test")
    // No process can have such an id (proc(5), pid_max).
    await statement(db, "update state_process set pid = 99999999 where id = ?").run(id)
    return id
  }
  const first = await ended()
  await using alive = await keepAlive(db, "test", () => undefined)
  expect(await signs(db, first)).toBeUndefined()
  const second = await ended()
  expect(await signs(db, second)).toBeDefined()
  await vi.advanceTimersByTimeAsync(SIGN_MS)
  expect([await signs(db, second), (await signs(db, alive.id))?.["signs"]]).toEqual([undefined, 1])
})

test("a process reports a failed sign once, and again after one succeeded", async () => {
  const { db, problems, alive } = await kept()
  const away = () => db.script("alter table state_process rename to away")
  const back = () => db.script("alter table away rename to state_process")
  const after = async (signsGiven: number) => {
    await vi.advanceTimersByTimeAsync(signsGiven * SIGN_MS)
    return problems.length
  }
  await away()
  expect(await after(3)).toBe(1)
  await back()
  expect(await after(2)).toBe(1)
  await away()
  expect(await after(3)).toBe(2)
  await back()
  db.close()
  // The process cannot record that it is ending, either.
  await alive[Symbol.asyncDispose]()
  expect(problems).toHaveLength(3)
  expect(problems.every((problem) => problem instanceof Error)).toBe(true)
})

test("a process's signs do not keep it from exiting", async () => {
  vi.useRealTimers()
  using db = new SqliteStore(new DatabaseSync(":memory:"))
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  await db.script("create table schema_version (part text primary key, version integer not null) strict")
  const before = timers()
  await using _ = await keepAlive(db, "test", () => undefined)
  expect(timers()).toBe(before)
})
