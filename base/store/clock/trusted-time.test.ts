import { DatabaseSync } from "node:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openStateFile } from "../state-store.ts"
import { emptyState } from "../testing/empty-state.ts"
import {
  clockInDoubt,
  deletionTime,
  doubt,
  DOUBT_ADVICE,
  ORDINARY_MS,
  TimeGuard,
  trustedTime,
  trustClock,
} from "./trusted-time.ts"

const DAY = 86_400_000
const YEARS = 10 * 365 * DAY
const NOW = Date.UTC(2026, 10, 23)

/** A state, and processes that are started on it at chosen wall-clock times. */
function appliance() {
  const db = emptyState()
  const at = { wall: NOW, steady: 100 * DAY }
  return {
    db,
    start: () =>
      new TimeGuard(
        db,
        () => at.wall,
        () => at.steady,
      ),
    pass: (ms: number) => {
      at.wall += ms
      at.steady += ms
    },
    /** Sets the clock, or simulates a machine that was off: after a restart both look the same. */
    jump: (ms: number) => {
      at.wall += ms
    },
    doubt: () => clockInDoubt(db, at.wall),
    deletionTime: () => deletionTime(db, at.wall),
    trusted: () => trustedTime(db),
  }
}

test("an appliance that was off for weeks continues to delete old entries", async () => {
  const { db, start, jump, doubt } = appliance()
  using _ = db
  expect(await start().mayDelete()).toBe(true)
  jump(29 * DAY)
  expect(await doubt()).toBeNull()
  expect(await start().mayDelete()).toBe(true)
  jump(29 * DAY)
  expect(await start().mayDelete()).toBe(true)
})

test("a process that starts ten years ahead deletes nothing, however long it runs, until someone confirms the clock", async () => {
  const { db, start, pass, jump, doubt, deletionTime } = appliance()
  using _ = db
  await start().mayDelete()
  jump(YEARS)
  const guard = start()
  expect(await guard.mayDelete()).toBe(false)
  pass(3 * DAY)
  expect(await guard.mayDelete()).toBe(false)
  expect(await start().mayDelete()).toBe(false)
  expect(await doubt()).toContain("last ran on 2026-11-23")
  expect(await deletionTime()).toBe(NOW + 30 * DAY)
  await trustClock(db, NOW + YEARS + 3 * DAY)
  expect(await doubt()).toBeNull()
  expect(await guard.mayDelete()).toBe(true)
  expect(await deletionTime()).toBe(NOW + YEARS + 3 * DAY)
})

test("a clock that is corrected is no longer in doubt", async () => {
  const { db, start, jump, doubt } = appliance()
  using _ = db
  await start().mayDelete()
  jump(YEARS)
  expect(await start().mayDelete()).toBe(false)
  jump(-YEARS)
  expect(await doubt()).toBeNull()
  expect(await start().mayDelete()).toBe(true)
})

test("a clock that starts years back, as on a machine without a battery, and is set by the network, is not in doubt", async () => {
  const { db, start, pass, jump, doubt } = appliance()
  using _ = db
  await start().mayDelete()
  jump(-YEARS)
  const guard = start()
  await guard.mayDelete()
  pass(1000)
  jump(YEARS)
  expect(await doubt()).toBeNull()
  // Nothing may be deleted for a day, as after any step of the clock.
  expect(await guard.mayDelete()).toBe(false)
  pass(DAY)
  expect(await guard.mayDelete()).toBe(true)
})

test("a wrong clock that was trusted is forgotten after a normal day", async () => {
  const { db, start, pass, jump, doubt } = appliance()
  using _ = db
  jump(YEARS)
  await start().mayDelete()
  jump(-YEARS)
  const guard = start()
  await guard.mayDelete()
  pass(DAY)
  await guard.mayDelete()
  jump(YEARS)
  expect(await doubt()).not.toBeNull()
})

test("a new state trusts the clock it starts with", async () => {
  const { db, start, doubt } = appliance()
  using _ = db
  expect(await doubt()).toBeNull()
  expect(await start().mayDelete()).toBe(true)
})

test("a doubtful clock is reported in days, with what to do", () => {
  expect(doubt(NOW, NOW + ORDINARY_MS)).toBeNull()
  expect(doubt(NOW, NOW + ORDINARY_MS + 1)).toBe(
    "The clock says 2026-12-23, but this appliance last ran on 2026-11-23. Until the clock is confirmed, nothing is deleted because of its age.",
  )
  expect(DOUBT_ADVICE).toContain("fossick doctor --trust-clock")
})

test("if no time is trusted yet, deletion uses the clock", async () => {
  const { db, deletionTime } = appliance()
  using _ = db
  expect(await deletionTime()).toBe(NOW)
})

test("the time is written once a minute, and never backwards, except after a normal day", async () => {
  const { db, start, pass, jump, trusted } = appliance()
  using _ = db
  const guard = start()
  const after = async (ms: number) => {
    pass(ms)
    await guard.mayDelete()
    return Number(await trusted()) - NOW
  }
  expect([await after(0), await after(60_000), await after(1)]).toEqual([0, 0, 60_001])
  // This also holds for a process that runs for a long time.
  expect([await after(2 * DAY), await after(1000), await after(59_001)]).toEqual([
    2 * DAY + 60_001,
    2 * DAY + 60_001,
    2 * DAY + 120_002,
  ])
  jump(-5 * DAY)
  const before = Number(await trusted()) - NOW
  // The clock has just been set.
  expect(await after(0)).toBe(before)
  expect(await after(DAY)).toBe(before - 4 * DAY)
})

test("a clock that was set back is not believed by a process that has just begun", async () => {
  const { db, start, pass, jump, trusted } = appliance()
  using _ = db
  await start().mayDelete()
  jump(-DAY)
  const guard = start()
  await guard.mayDelete()
  pass(DAY / 2)
  await guard.mayDelete()
  expect(await trusted()).toBe(NOW)
})

test("a round continues if the time cannot be written because of others or a full disk, but not after a mistake", async () => {
  const dir = mkdtempSync(join(tmpdir(), "fossick-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  using db = await openStateFile(dir)
  using other = new DatabaseSync(join(dir, "state.db"))
  const mayDelete = () => new TimeGuard(db).mayDelete()
  db.patienceMs = 0
  other.exec("begin immediate")
  expect(await mayDelete()).toBe(true)
  other.exec("rollback")
  const inserted = (work: string) =>
    db.script(`create trigger full after insert on trusted_time begin ${work}; end`)
  await db.script("create table bulk (x blob)")
  await inserted("insert into bulk values (zeroblob(1000000))")
  await db.script("pragma max_page_count = 1")
  expect(await mayDelete()).toBe(true)
  expect(await trustedTime(db)).toBeNull()
  await db.script("drop trigger full")
  await inserted("select raise(abort, 'a mistake')")
  await expect(mayDelete).rejects.toThrow("a mistake")
})
