import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { emptyState } from "../testing/empty-state.ts"
import { keepAlive } from "./keep-alive.ts"
import { OwnProcess, SIGN_MS } from "./own-process.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

/** A process that is kept alive on a state of its own. */
function kept() {
  const db = emptyState()
  const problems: unknown[] = []
  return { db, problems, alive: keepAlive(db, "test", (error) => problems.push(error)) }
}
const signs = (db: ReturnType<typeof emptyState>, id: string) =>
  db.prepare("select signs, kind from state_process where id = ?").get(id)

test("a process gives signs of life until it is disposed of, and is gone then", () => {
  const { db, problems, alive } = kept()
  using _ = db
  expect(signs(db, alive.id)).toEqual({ signs: 0, kind: "test" })
  vi.advanceTimersByTime(SIGN_MS)
  expect(signs(db, alive.id)).toEqual({ signs: 1, kind: "test" })
  vi.advanceTimersByTime(2 * SIGN_MS)
  expect(signs(db, alive.id)).toEqual({ signs: 3, kind: "test" })
  expect([alive.take("role"), problems]).toEqual([true, []])
  alive[Symbol.dispose]()
  expect(signs(db, alive.id)).toBeUndefined()
  vi.advanceTimersByTime(2 * SIGN_MS)
  expect([signs(db, alive.id), vi.getTimerCount()]).toEqual([undefined, 0])
})

test("it looks for those that have ended when it begins, and with each sign", () => {
  const db = emptyState()
  using _ = db
  const ended = () => {
    const { id } = new OwnProcess(db, "test")
    // No process has such a number (proc(5), pid_max).
    db.prepare("update state_process set pid = 99999999 where id = ?").run(id)
    return id
  }
  const first = ended()
  using alive = keepAlive(db, "test", () => undefined)
  expect(signs(db, first)).toBeUndefined()
  const second = ended()
  expect(signs(db, second)).toBeDefined()
  vi.advanceTimersByTime(SIGN_MS)
  expect([signs(db, second), signs(db, alive.id)?.["signs"]]).toEqual([undefined, 1])
})

test("it says once that no sign can be given, and once more after one could", () => {
  const { db, problems, alive } = kept()
  const away = () => db.exec("alter table state_process rename to away")
  const back = () => db.exec("alter table away rename to state_process")
  const after = (signsGiven: number) => {
    vi.advanceTimersByTime(signsGiven * SIGN_MS)
    return problems.length
  }
  away()
  expect(after(3)).toBe(1)
  back()
  expect(after(2)).toBe(1)
  away()
  expect(after(3)).toBe(2)
  back()
  db.close()
  // Nor that it ends.
  alive[Symbol.dispose]()
  expect(problems).toHaveLength(3)
  expect(problems.every((problem) => problem instanceof Error)).toBe(true)
})

test("it keeps no process from ending", () => {
  vi.useRealTimers()
  using db = new DatabaseSync(":memory:")
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  db.exec("create table schema_version (part text primary key, version integer not null) strict")
  const before = timers()
  using _ = keepAlive(db, "test", () => undefined)
  expect(timers()).toBe(before)
})
