import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { OwnProcess } from "../processes/own-process.ts"
import { SKIP_LOCKED } from "../state-port.ts"
import { migrate, openStateStore, type StateStore } from "../state-store.ts"

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
      const buried: string[] = []
      const counts: number[] = []
      for (; now < 20_000; now += 2000) {
        own.sign()
        busy.sign()
        own.bury((ids) => buried.push(...ids))
        counts.push(buried.length)
      }
      expect(buried).toEqual([silent.id])
      expect(counts.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0])
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
