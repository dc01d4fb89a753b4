import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

import { pino } from "pino"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { leaveOut } from "#base/flow/degraded.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { wordsOf } from "#engine/text/query-text.ts"

import { toRequest } from "./request.ts"
import { Evidence } from "./sources/evidence.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"
import { openPumpEngine } from "./testing/pump-engine.ts"
import { openTestResearch } from "./testing/test-research.ts"

const CHILD = join(import.meta.dirname, "testing/researcher-child.ts")
const log = pino({ level: "silent" })
const request = (input: string) =>
  toRequest({ input, model: "mini", stream: false, citation_format: "numbered", output_length: "short" })
const owner = (keyId: string) => ({ keyId, project: "", session: "", human: "" })

let dir: string
let db: StateStore
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-researchers-"))
  db = await openStateStore(dir)
})
afterEach(async () => {
  db.close()
  await rm(dir, { recursive: true, force: true })
})

async function ended(tasks: ResearchTasks, id: string): Promise<ResearchTask> {
  for (;;) {
    const task = (await tasks.get(id))!
    if (task.state === "completed" || task.state === "failed") return task
    await sleep(10)
  }
}

/** An engine that finds nothing, and waits until it is released. */
function heldEngine() {
  const searched: string[] = []
  let open = Promise.withResolvers<void>()
  const engine: Pick<Engine, "search"> = {
    async search({ text }, options) {
      searched.push(wordsOf(text))
      const { promise: stopped, reject } = Promise.withResolvers<never>()
      options?.signal?.addEventListener("abort", () => reject(options.signal!.reason as Error))
      await Promise.race([open.promise, stopped])
      return { hits: [] }
    },
  }
  return { engine, searched, release: () => open.resolve(), hold: () => (open = Promise.withResolvers()) }
}

describe("researchers", () => {
  test("resume with what a killed process had found, and charge it once", async () => {
    const first = await openTestResearch(db, new HashingEmbedder(), log)
    await first.accounts.writes.run(() => first.accounts.keys.create({ role: "search" }))
    const [key] = await first.accounts.keys.list()
    await first.accounts[Symbol.asyncDispose]()

    // Files left behind after a kill are deleted with the folder.
    const env = { ...process.env, TMPDIR: dir }
    const child = spawn(process.execPath, [CHILD, dir], { env, stdio: ["ignore", "pipe", "inherit"] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const searched: string[] = []
    while (searched.length < 3) searched.push((await lines.next()).value as string)
    const tasks = first.tasks
    while (((await tasks.get("task"))!.found?.searches ?? 0) < 2) await sleep(10)
    child.kill("SIGKILL")
    await once(child, "exit")
    expect((await tasks.get("task"))!.state).toBe("in_progress")

    await using pumps = await openPumpEngine()
    const again: string[] = []
    const engine: Pick<Engine, "search"> = {
      search(query, options) {
        again.push(wordsOf(query.text))
        return pumps.engine.search(query, options)
      },
    }
    const second = await openTestResearch(db, pumps.embedder, log)
    await second.researchers.start(() => engine)
    const task = await ended(second.tasks, "task")
    await second.researchers[Symbol.asyncDispose]()
    expect(task).toMatchObject({
      state: "completed",
      content: expect.stringContaining("A rotary pump costs 120 euros. ["),
      found: null,
    })
    // The first two questions were answered before the restart; only the whole input is searched again, for planning.
    for (const question of searched.slice(0, 2)) expect(again).not.toContain(question)
    const calls = await second.accounts.callLog.list({ limit: 10 })
    expect(calls).toMatchObject([{ endpoint: "research", credits: task.credits, keyId: key!.id }])
    await second.accounts[Symbol.asyncDispose]()
  })

  test("store with a report what it lacks, across a restart", async () => {
    const { accounts, tasks, researchers } = await openTestResearch(db, new HashingEmbedder(), log)
    await accounts.writes.run(() => accounts.keys.create({ role: "search" }))
    const [key] = await accounts.keys.list()
    await tasks.add("task", owner(key!.id), await request("quuxe"), new Date())
    await tasks.begin(new Date())
    await tasks.progress("task", {
      ...new Evidence(null, []).toRecord(),
      degraded: ["peers"],
    })
    await researchers.start(() => ({
      search: async () => {
        leaveOut("meaning")
        return { hits: [] }
      },
    }))
    expect(await ended(tasks, "task")).toMatchObject({ state: "completed", degraded: ["meaning", "peers"] })
    await researchers[Symbol.asyncDispose]()
    await accounts[Symbol.asyncDispose]()
  })

  test("take tasks of different keys in turn, however many one has waiting", async () => {
    const { accounts, tasks, researchers } = await openTestResearch(db, new HashingEmbedder(), log, {
      FOSSICK_RESEARCH_CONCURRENCY: "2",
    })
    for (const _ of [1, 2]) await accounts.writes.run(() => accounts.keys.create({ role: "search" }))
    const [busy, calm] = (await accounts.keys.list()).map(({ id }) => id)
    const held = heldEngine()
    for (let i = 0; i < 5; i++)
      await tasks.add(`busy${i}`, owner(busy!), await request(`quuxe number${i}`), new Date(i))
    await tasks.add("calm", owner(calm!), await request("zorgs"), new Date(100))
    await researchers.start(() => held.engine)
    while (held.searched.length < 2) await sleep(5)
    const underWay: string[] = []
    for (const id of ["busy0", "busy1", "busy2", "busy3", "busy4", "calm"])
      if ((await tasks.get(id))!.state === "in_progress") underWay.push(id)
    expect(underWay).toEqual(["busy0", "calm"])
    held.release()
    for (let i = 0; i < 5; i++) expect((await ended(tasks, `busy${i}`)).state).toBe("completed")
    await researchers[Symbol.asyncDispose]()
    await accounts[Symbol.asyncDispose]()
  })

  test("pause a key's task for another key's between two questions if only one can run", async () => {
    const { accounts, tasks, researchers } = await openTestResearch(db, new HashingEmbedder(), log, {}, 0)
    for (const _ of [1, 2]) await accounts.writes.run(() => accounts.keys.create({ role: "search" }))
    const [busy, calm] = (await accounts.keys.list()).map(({ id }) => id)
    const held = heldEngine()
    await tasks.add("busy1", owner(busy!), await request("What is a quux? What is a zorg?"), new Date(0))
    await tasks.add("busy2", owner(busy!), await request("What is a quux?"), new Date(1))
    await researchers.start(() => held.engine)
    while (held.searched.length < 1) await sleep(5)
    await tasks.add("calm", owner(calm!), await request("zorgs"), new Date(100))
    const order: string[] = []
    for (const id of ["busy1", "busy2", "calm"])
      researchers.watch(id, ({ kind }) => void (kind === "sources" && order.push(id)))
    held.release()
    for (const id of ["busy1", "busy2", "calm"]) expect((await ended(tasks, id)).state).toBe("completed")
    expect(order[0]).toBe("calm")
    await researchers[Symbol.asyncDispose]()
    await accounts[Symbol.asyncDispose]()
  })

  test("requeue a task when they close, and fail one whose key is gone or that killed three processes", async () => {
    const { accounts, tasks, researchers } = await openTestResearch(db, new HashingEmbedder(), log)
    await accounts.writes.run(() => accounts.keys.create({ role: "search" }))
    const keyId = (await accounts.keys.list())[0]!.id
    const held = heldEngine()
    await tasks.add("task", owner(keyId), await request("quux"), new Date())
    await researchers.start(() => held.engine)
    while (held.searched.length === 0) await sleep(5)
    await researchers[Symbol.asyncDispose]()
    expect(await tasks.get("task")).toMatchObject({ state: "pending" })

    await tasks.add("orphan", owner("gone"), await request("quux"), new Date(0))
    const next = await openTestResearch(db, new HashingEmbedder(), log)
    held.release()
    await next.researchers.start(() => held.engine)
    expect(await ended(tasks, "orphan")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("key"),
    })
    expect(await ended(tasks, "task")).toMatchObject({ state: "completed" })
    await next.researchers[Symbol.asyncDispose]()

    await tasks.add("deadly", owner(keyId), await request("quux"), new Date())
    for (let i = 0; i < 3; i++) {
      expect((await tasks.begin(new Date()))?.id).toBe("deadly")
      await tasks.recover(new Date())
    }
    expect(await tasks.begin(new Date())).toBeNull()
    expect(await tasks.get("deadly")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("3 times"),
    })
    for (const one of [accounts, next.accounts]) await one[Symbol.asyncDispose]()
  })

  test("reserve a limited key's credits again after a restart, and fail a task that they do not cover", async () => {
    const { accounts, tasks, researchers, billing } = await openTestResearch(db, new HashingEmbedder(), log)
    const limit = { credits: 120, per: "total" as const }
    await accounts.writes.run(() => accounts.keys.create({ role: "search", creditLimit: limit }))
    const [key] = await accounts.keys.list()
    await tasks.add("first", owner(key!.id), await request("quux"), new Date(0))
    // 110 of 120 credits are reserved until the task's cost is known.
    const held = heldEngine()
    await researchers.start(() => held.engine)
    while (held.searched.length === 0) await sleep(5)
    await expect(billing.reserve({ requestId: "other", key: key! }, { credits: 11 })).rejects.toThrow("limit")
    held.release()
    expect(await ended(tasks, "first")).toMatchObject({ state: "completed", credits: expect.any(Number) })
    await billing.reserve({ requestId: "other", key: key! }, { credits: 60 })
    await tasks.add("second", owner(key!.id), await request("quux"), new Date(2))
    researchers.wake()
    expect(await ended(tasks, "second")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("limit"),
    })
    await researchers[Symbol.asyncDispose]()
    await accounts[Symbol.asyncDispose]()
  })

  test("forget reports after their time, and not before", async () => {
    const { accounts, tasks } = await openTestResearch(db, new HashingEmbedder(), log)
    await tasks.add("old", owner("k"), await request("quux"), new Date(0))
    await tasks.fail("old", "over", new Date(1000))
    await tasks.add("open", owner("k"), await request("quux"), new Date(0))
    await tasks.forget(new Date(1000))
    expect(await tasks.get("old")).not.toBeNull()
    await tasks.forget(new Date(1001))
    expect(await tasks.get("old")).toBeNull()
    expect(await tasks.get("open")).not.toBeNull()
    await accounts[Symbol.asyncDispose]()
  })
})
