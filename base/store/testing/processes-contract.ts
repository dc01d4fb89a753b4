import { BUSY_MS } from "../sqlite/busy.ts"
import { sql } from "kysely"
import { queriesOf } from "../query/queries.ts"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readlinkSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { leftWork, OwnProcess } from "../processes/own-process.ts"
import { migrate, openStateStore, type StateStore, transaction } from "../state-store.ts"
import { statement } from "./statement.ts"

/** Guarantees that every store makes to processes that share a state. */
export function describeProcesses(name: string): void {
  describe(`processes on one state in ${name}`, () => {
    let folder: string
    let db: StateStore
    let other: StateStore
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "fossick-"))
      db = await openStateStore(folder)
      other = await openStateStore(folder)
    })
    afterAll(() => {
      db.close()
      other.close()
      rmSync(folder, { recursive: true })
    })

    test("one that gives no sign of life is lost after a while, and what it did is another's", async () => {
      let now = 0
      await using own = await OwnProcess.begin(db, "test", () => now)
      await using silent = await OwnProcess.begin(other, "test")
      await using busy = await OwnProcess.begin(other, "test")
      expect([await silent.take("role"), await own.take("role"), await silent.take("role")]).toEqual([
        true,
        false,
        true,
      ])
      expect(await own.isTaken("role")).toBe(true)
      const counts: number[] = []
      for (; now < 20_000; now += 2000) {
        await own.sign()
        await busy.sign()
        counts.push(await own.bury())
      }
      expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
      expect(
        await statement(db, "select id from state_process where id in (?, ?)").all(silent.id, busy.id),
      ).toEqual([{ id: busy.id }])
      expect([await own.take("role"), own.isSound]).toEqual([true, true])
      // The silent process notices that it was considered lost, and starts again without work.
      expect([await silent.sign(), await silent.take("role"), await silent.sign()]).toEqual([
        false,
        false,
        true,
      ])
    })

    test("after an outage nobody is lost before all had time to give a sign", async () => {
      let now = 0
      await using own = await OwnProcess.begin(db, "test", () => now)
      await using late = await OwnProcess.begin(other, "test")
      await own.bury()
      now += 3_600_000
      await own.sign()
      expect(await own.bury()).toBe(0)
      now += 2000
      await late.sign()
      expect(await own.bury()).toBe(0)
      for (const _ of Array.from({ length: 7 })) {
        now += 2000
        expect(await own.bury()).toBe(0)
      }
      expect(await late.sign()).toBe(true)
      expect(own.isSound).toBe(false)
    })

    test("one of the same machine that has ended is lost at once", async () => {
      await using own = await OwnProcess.begin(db, "test")
      const { pid } = spawnSync(process.execPath, ["-e", ""])
      await using gone = await OwnProcess.begin(other, "test")
      await statement(other, "update state_process set pid = ? where id = ?").run(pid, gone.id)
      expect(await own.bury()).toBe(1)
      expect(await own.hasOthers("test")).toBe(false)
    })

    test("one of another user, whom this one may not ask, is not lost", async () => {
      await using own = await OwnProcess.begin(db, "test")
      await using _ = await OwnProcess.begin(other, "test")
      const kill = vi.spyOn(process, "kill").mockImplementation(() => {
        throw Object.assign(new Error("not permitted"), { code: "EPERM" })
      })
      try {
        expect(await own.bury()).toBe(0)
        expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 0)
      } finally {
        kill.mockRestore()
      }
    })

    test("one of another machine is not lost because a process of its number has ended here", async () => {
      let now = 0
      await using own = await OwnProcess.begin(db, "test", () => now)
      const { pid } = spawnSync(process.execPath, ["-e", ""])
      await using far = await OwnProcess.begin(other, "far")
      await statement(other, "update state_process set pid = ?, machine = 'elsewhere' where id = ?").run(
        pid,
        far.id,
      )
      expect([await own.bury(), await own.hasOthers("far")]).toEqual([0, true])
      // The other process gives no sign of life.
      const counts: number[] = []
      for (now of [2000, 4000, 6000, 8000, 10_000, 12_000, 14_000, 14_999, 15_000])
        counts.push(await own.bury())
      expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1])
      expect([await own.bury(), await own.hasOthers("far")]).toEqual([0, false])
    })

    test("one that gives a sign in the last moment stays", async () => {
      let now = 0
      await using own = await OwnProcess.begin(db, "test", () => now)
      await using late = await OwnProcess.begin(other, "test")
      const bury = async (at: number) => {
        now = at
        return await own.bury()
      }
      expect([await bury(0), await bury(6000), await bury(12_000)]).toEqual([0, 0, 0])
      const transaction = db.transaction.bind(db)
      // The late process gives a sign of life between the check and the removal.
      const spy = vi.spyOn(db, "transaction").mockImplementation(async (work) => {
        await late.sign()
        return await transaction(work)
      })
      try {
        expect([await bury(15_000), await late.sign()]).toEqual([0, true])
      } finally {
        spy.mockRestore()
      }
      expect([
        await bury(18_000),
        await bury(24_000),
        await bury(30_000),
        await bury(32_999),
        await bury(33_000),
      ]).toEqual([0, 0, 0, 0, 1])
    })

    test("a process is known by its machine, and by where its number counts", async () => {
      await using own = await OwnProcess.begin(db, "test")
      const found = await statement(db, "select machine, pid from state_process where id = ?").get(own.id)
      const numbers = existsSync("/proc/self/ns/pid") ? readlinkSync("/proc/self/ns/pid") : ""
      expect(found).toEqual({ machine: `${hostname()} ${numbers}`, pid: process.pid })
      expect(
        await statement(db, "select version from schema_version where part = 'processes'").get(),
      ).toEqual({
        version: 1,
      })
    })

    test("a process says what it does, and what it is the only one to do it may give back", async () => {
      await using own = await OwnProcess.begin(db, "one")
      await using second = await OwnProcess.begin(other, "two")
      expect([await own.hasOthers("one"), await own.hasOthers("two"), await second.hasOthers("one")]).toEqual(
        [false, true, true],
      )
      await second.become("three")
      expect([await own.hasOthers("two"), await own.hasOthers("three")]).toEqual([false, true])
      // A process that was considered lost keeps its kind when it starts again.
      await statement(db, "delete from state_process where id = ?").run(second.id)
      expect([await own.hasOthers("three"), await second.sign(), await own.hasOthers("three")]).toEqual([
        false,
        false,
        true,
      ])
      expect([await own.take("lead"), await own.isTaken("lead"), await second.isTaken("lead")]).toEqual([
        true,
        false,
        true,
      ])
      await second.leave("lead")
      expect(await second.take("lead")).toBe(false)
      // The role's holder gets its answer even while another process is writing.
      db.patienceMs = 0
      await transaction(other, async () =>
        expect([await own.take("lead"), await own.bury()]).toEqual([true, 0]),
      )
      db.patienceMs = BUSY_MS
      await own.leave("lead")
      expect([await second.take("lead"), await own.take("lead")]).toEqual([true, false])
    })

    test("a process is sound for as long as nobody can have taken it for lost", async () => {
      let now = 1000
      await using own = await OwnProcess.begin(db, "test", () => now)
      const isSoundAt = (at: number) => {
        now = at
        return own.isSound
      }
      expect([isSoundAt(1000), isSoundAt(12_999), isSoundAt(13_000)]).toEqual([true, true, false])
      await own.sign()
      expect([isSoundAt(24_999), isSoundAt(25_000)]).toEqual([true, false])
    })

    test("work that a lost process had in hand is told from what others have, and what nobody has", async () => {
      migrate(db, "work", [
        ({ id, text, strict }) =>
          `create table work (id ${id}, state ${text} not null, process ${text}) ${strict}`,
      ])
      await using own = await OwnProcess.begin(db, "test")
      const left = leftWork(db, "work", "doing")
      const add = statement(db, "insert into work (state, process) values (?, ?)")
      await add.run("doing", own.id)
      await add.run("done", "a lost one")
      expect(await left.isThere()).toBe(false)
      await add.run("doing", "a lost one")
      await add.run("doing", null)
      expect(await left.isThere()).toBe(true)
      const taken = await sql`update work set process = ${own.id} where ${left.where}`.execute(queriesOf(db))
      expect([taken.numAffectedRows, await left.isThere()]).toEqual([2n, false])
    })

    test("of those that take rows at once each gets others, and none waits", async () => {
      migrate(db, "taken", [
        ({ id, text, strict }) =>
          `create table taken (id ${id}, by ${text}) ${strict}; insert into taken (id) values (1), (2), (3)`,
      ])
      const take = (store: StateStore, by: string) =>
        queriesOf<{ taken: { id: number; by: string | null } }>(store)
          .updateTable("taken")
          .set({ by })
          .where("id", "in", (eb) =>
            eb
              .selectFrom("taken")
              .select("id")
              .where("by", "is", null)
              .orderBy("id")
              .limit(2)
              .forUpdate()
              .skipLocked(),
          )
          .returning("id")
          .execute()
      const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id).toSorted((a, b) => a - b)
      expect(ids(await take(db, "a"))).toEqual([1, 2])
      expect(ids(await take(other, "b"))).toEqual([3])
      expect(await take(other, "b")).toEqual([])
    })
  })
}
