import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readlinkSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { leftWork, OwnProcess } from "../processes/own-process.ts"
import { SKIP_LOCKED } from "../state-port.ts"
import { migrate, openStateStore, prepareOnce, type StateStore, transaction } from "../state-store.ts"

/** What processes that share a state can rely on, in every store. */
export function describeProcesses(name: string): void {
  describe(`processes on one state in ${name}`, () => {
    let folder: string
    let db: StateStore
    let other: StateStore
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "fossick-"))
      db = openStateStore(folder)
      other = openStateStore(folder)
    })
    afterAll(() => {
      db.close()
      other.close()
      rmSync(folder, { recursive: true })
    })

    test("one that gives no sign of life is lost after a while, and what it did is another's", () => {
      let now = 0
      using own = new OwnProcess(db, "test", () => now)
      using silent = new OwnProcess(other, "test")
      using busy = new OwnProcess(other, "test")
      expect([silent.take("role"), own.take("role"), silent.take("role")]).toEqual([true, false, true])
      expect(own.isTaken("role")).toBe(true)
      const counts: number[] = []
      for (; now < 20_000; now += 2000) {
        own.sign()
        busy.sign()
        counts.push(own.bury())
      }
      expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
      expect(db.prepare("select id from state_process where id in (?, ?)").all(silent.id, busy.id)).toEqual([
        { id: busy.id },
      ])
      expect([own.take("role"), own.isSound]).toEqual([true, true])
      // It notices, and begins anew with nothing.
      expect([silent.sign(), silent.take("role"), silent.sign()]).toEqual([false, false, true])
    })

    test("after an outage nobody is lost before all had time to give a sign", () => {
      let now = 0
      using own = new OwnProcess(db, "test", () => now)
      using late = new OwnProcess(other, "test")
      own.bury()
      now += 3_600_000
      own.sign()
      expect(own.bury()).toBe(0)
      now += 2000
      late.sign()
      expect(own.bury()).toBe(0)
      for (const _ of Array.from({ length: 7 })) {
        now += 2000
        expect(own.bury()).toBe(0)
      }
      expect(late.sign()).toBe(true)
      expect(own.isSound).toBe(false)
    })

    test("one of the same machine that has ended is lost at once", () => {
      using own = new OwnProcess(db, "test")
      const { pid } = spawnSync(process.execPath, ["-e", ""])
      using gone = new OwnProcess(other, "test")
      other.prepare("update state_process set pid = ? where id = ?").run(pid, gone.id)
      expect(own.bury()).toBe(1)
      expect(own.hasOthers("test")).toBe(false)
    })

    test("one of another user, whom this one may not ask, is not lost", () => {
      using own = new OwnProcess(db, "test")
      using _ = new OwnProcess(other, "test")
      const kill = vi.spyOn(process, "kill").mockImplementation(() => {
        throw Object.assign(new Error("not permitted"), { code: "EPERM" })
      })
      try {
        expect(own.bury()).toBe(0)
        expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 0)
      } finally {
        kill.mockRestore()
      }
    })

    test("one of another machine is not lost because a process of its number has ended here", () => {
      let now = 0
      using own = new OwnProcess(db, "test", () => now)
      const { pid } = spawnSync(process.execPath, ["-e", ""])
      using far = new OwnProcess(other, "far")
      other.prepare("update state_process set pid = ?, machine = 'elsewhere' where id = ?").run(pid, far.id)
      expect([own.bury(), own.hasOthers("far")]).toEqual([0, true])
      // One that gives no sign.
      const counts = [2000, 4000, 6000, 8000, 10_000, 12_000, 14_000, 14_999, 15_000].map((at) => {
        now = at
        return own.bury()
      })
      expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1])
      expect([own.bury(), own.hasOthers("far")]).toEqual([0, false])
    })

    test("one that gives a sign in the last moment stays", () => {
      let now = 0
      using own = new OwnProcess(db, "test", () => now)
      using late = new OwnProcess(other, "test")
      const bury = (at: number) => {
        now = at
        return own.bury()
      }
      expect([bury(0), bury(6000), bury(12_000)]).toEqual([0, 0, 0])
      const exec = db.exec.bind(db)
      // Between the look and the removal.
      const spy = vi.spyOn(db, "exec").mockImplementation((sql) => {
        if (sql.startsWith("begin")) late.sign()
        exec(sql)
      })
      try {
        expect([bury(15_000), late.sign()]).toEqual([0, true])
      } finally {
        spy.mockRestore()
      }
      expect([bury(18_000), bury(24_000), bury(30_000), bury(32_999), bury(33_000)]).toEqual([0, 0, 0, 0, 1])
    })

    test("a process is known by its machine, and by where its number counts", () => {
      using own = new OwnProcess(db, "test")
      const found = db.prepare("select machine, pid from state_process where id = ?").get(own.id)
      const numbers = existsSync("/proc/self/ns/pid") ? readlinkSync("/proc/self/ns/pid") : ""
      expect(found).toEqual({ machine: `${hostname()} ${numbers}`, pid: process.pid })
      expect(db.prepare("select version from schema_version where part = 'processes'").get()).toEqual({
        version: 1,
      })
    })

    test("a process says what it does, and what it is the only one to do it may give back", () => {
      using own = new OwnProcess(db, "one")
      using second = new OwnProcess(other, "two")
      expect([own.hasOthers("one"), own.hasOthers("two"), second.hasOthers("one")]).toEqual([
        false,
        true,
        true,
      ])
      second.become("three")
      expect([own.hasOthers("two"), own.hasOthers("three")]).toEqual([false, true])
      // It is still that when it was taken for lost, and begins anew.
      db.prepare("delete from state_process where id = ?").run(second.id)
      expect([own.hasOthers("three"), second.sign(), own.hasOthers("three")]).toEqual([false, false, true])
      expect([own.take("lead"), own.isTaken("lead"), second.isTaken("lead")]).toEqual([true, false, true])
      second.leave("lead")
      expect(second.take("lead")).toBe(false)
      // Who has it is told so while another one writes.
      db.exec("pragma busy_timeout = 0")
      transaction(other, () => expect([own.take("lead"), own.bury()]).toEqual([true, 0]))
      db.exec("pragma busy_timeout = 10000")
      own.leave("lead")
      expect([second.take("lead"), own.take("lead")]).toEqual([true, false])
    })

    test("a process is sound for as long as nobody can have taken it for lost", () => {
      let now = 1000
      using own = new OwnProcess(db, "test", () => now)
      const isSoundAt = (at: number) => {
        now = at
        return own.isSound
      }
      expect([isSoundAt(1000), isSoundAt(12_999), isSoundAt(13_000)]).toEqual([true, true, false])
      own.sign()
      expect([isSoundAt(24_999), isSoundAt(25_000)]).toEqual([true, false])
    })

    test("work that a lost process had in hand is told from what others have, and what nobody has", () => {
      migrate(db, "work", [
        "create table work (id integer primary key, state text not null, process text) strict",
      ])
      using own = new OwnProcess(db, "test")
      const left = leftWork(prepareOnce(db), "work", "doing")
      const add = db.prepare("insert into work (state, process) values (?, ?)")
      add.run("doing", own.id)
      add.run("done", "a lost one")
      expect(left.isThere()).toBe(false)
      add.run("doing", "a lost one")
      add.run("doing", null)
      expect(left.isThere()).toBe(true)
      const { changes } = db.prepare(`update work set process = ? where ${left.where}`).run(own.id)
      expect([Number(changes), left.isThere()]).toEqual([2, false])
    })

    test("of those that take rows at once each gets others, and none waits", () => {
      migrate(db, "taken", [
        "create table taken (id integer primary key, by text) strict; insert into taken (id) values (1), (2), (3)",
      ])
      const sql = `update taken set by = ? where id in (select id from taken where by is null order by id limit 2 ${SKIP_LOCKED}) returning id`
      const ids = (rows: readonly Record<string, unknown>[]) =>
        rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b)
      expect(ids(db.prepare(sql).all("a"))).toEqual([1, 2])
      expect(ids(other.prepare(sql).all("b"))).toEqual([3])
      expect(other.prepare(sql).all("b")).toEqual([])
    })
  })
}
