import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import type { Engine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { aPage } from "#engine/testing/pages.ts"
import { tryLock } from "#base/store/file-lock.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import type { BackupPlan } from "../../../backup-plan.ts"
import { defineSchedule } from "../../../jobs/tasks/schedule.ts"
import { Ticker } from "../../../jobs/tasks/ticker.ts"
import { verifyBackup } from "../read-backup.ts"
import { Folders, openIndex, restoreInto, SmallAppliance } from "../testing/small-appliance.ts"
import { BackupTable } from "./backup-table.ts"
import { BackupTasks } from "./backup-tasks.ts"
import { makeBackup } from "./make-backup.ts"
import { runBackups } from "./due-backups.ts"

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url))
const WORKER = fileURLToPath(new URL("./backup-worker.ts", import.meta.url))
const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(`${text}Z`)

/** A small appliance with a clock set by hand, and its backup folder. */
class Fixture implements AsyncDisposable {
  now = at("2026-05-01T12:00")
  readonly folders: Folders
  readonly dataDir: string
  readonly folder: string
  readonly db: StateStore
  readonly backups: BackupTable
  readonly ticker: Ticker
  readonly said: string[] = []
  readonly #noted = (about: unknown, text?: string) => void this.said.push(text ?? String(about))
  readonly log = { info: this.#noted, warn: this.#noted, error: this.#noted }

  static async open(): Promise<Fixture> {
    const folders = new Folders()
    return new Fixture(folders, await openStateStore(folders.at("data")))
  }

  private constructor(folders: Folders, db: StateStore) {
    this.folders = folders
    this.dataDir = folders.at("data")
    this.folder = folders.at("backups")
    this.db = db
    this.backups = this.table()
    this.ticker = this.newTicker()
    mkdirSync(this.folder)
  }

  table(): BackupTable {
    return new BackupTable(
      this.db,
      () => this.now,
      () => 0,
    )
  }

  newTicker(): Ticker {
    return new Ticker(
      [new BackupTasks(this.backups)],
      () => this.now,
      () => 0,
    )
  }

  async declare(plan: Partial<BackupPlan> = {}): Promise<void> {
    const schedule = defineSchedule({ cron: "30 2 * * *" })
    await this.backups.declare({ name: "fossick", folder: this.folder, keep: 3, schedule, ...plan })
  }

  /** Makes the requested backups, as the backup process does. @param changing called while the index is being read */
  async work(changing: () => Promise<void> | void = () => {}, signal?: AbortSignal): Promise<boolean> {
    const now = this.now
    vi.useFakeTimers({ toFake: ["Date"], now })
    try {
      return await runBackups({
        backups: this.backups,
        db: this.db,
        dataDir: this.dataDir,
        minFreeMb: 0,
        mayDelete: true,
        log: this.log,
        signal: signal ?? new AbortController().signal,
        openEngine: async () => {
          const engine = await openIndex(this.dataDir, "read")
          await changing()
          return engine
        },
      })
    } finally {
      vi.useRealTimers()
    }
  }

  /** Lets days pass, checking the clock every hour. */
  async pass(days: number): Promise<void> {
    for (const end = this.now + days * DAY; this.now < end;) {
      this.now += HOUR / 2
      if ((await this.ticker.tick()).some(({ isLeftOut }) => !isLeftOut)) await this.work()
    }
  }

  get files(): string[] {
    return readdirSync(this.folder).toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.db.close()
    this.folders[Symbol.dispose]()
    await Promise.resolve()
  }
}

async function fill(dataDir: string, pages = 3): Promise<void> {
  await using engine = await openIndex(dataDir, "write")
  await engine.index(Array.from({ length: pages }, (_, i) => aPage(`p${i}`)))
  await engine.settled()
}

afterEach(() => {
  vi.useRealTimers()
})

describe("scheduled backups", () => {
  test("are made on schedule, complete and restorable, and the newest are kept", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare()
    // The appliance must not delete any of these.
    writeFileSync(join(fixture.folder, "fossick-2020-01-01.tar"), "by hand")
    writeFileSync(join(fixture.folder, "other-2020-01-01T00-00-00Z.tar"), "of another appliance")
    mkdirSync(join(fixture.folder, "fossick-2020-01-01T00-00-00Z.tar"))
    await fixture.pass(5)

    expect(fixture.files).toEqual([
      "fossick-2020-01-01.tar",
      "fossick-2020-01-01T00-00-00Z.tar",
      "fossick-2026-05-04T02-30-00Z.tar",
      "fossick-2026-05-05T02-30-00Z.tar",
      "fossick-2026-05-06T02-30-00Z.tar",
      "other-2020-01-01T00-00-00Z.tar",
    ])
    const runs = await fixture.backups.runs(10)
    expect(runs).toHaveLength(5)
    expect(runs[0]).toMatchObject({
      state: "finished",
      trigger: "schedule",
      pages: 3,
      error: null,
      note: null,
    })
    const newest = runs[0]!.file!
    expect(runs[0]!.bytes).toBe(statSync(newest).size)
    expect(await fixture.backups.plan()).toMatchObject({ nextRun: new Date("2026-05-07T02:30Z") })
    expect(statSync(newest).mode & 0o777).toBe(0o600)

    expect(await verifyBackup(newest)).toMatchObject({ exportedPages: 3 })
    await restoreInto(fixture.folders.at("to"), newest)
    await using to = await SmallAppliance.open(fixture.folders.at("to"))
    expect(await to.engine.stats()).toMatchObject({ pages: 3 })
    // The backup contains its own run as still in progress; a restore doesn't start it again.
    expect(await new BackupTable(to.db).unfinished()).toBeNull()
    expect((await new BackupTable(to.db).plan())?.plan.name).toBe("fossick")
  })

  test("make up for missed ones with a single one", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare()
    fixture.now += 10.5 * DAY
    expect(await fixture.ticker.tick()).toMatchObject([{ kind: "backup", name: "fossick", isLeftOut: false }])
    expect(await fixture.ticker.tick()).toEqual([])
    await fixture.work()
    expect(fixture.files).toEqual(["fossick-2026-05-12T00-00-00Z.tar"])
  })

  test("do not overlap: the next is skipped while one is running", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare({ schedule: defineSchedule({ everyHours: 1 }) })
    const [first] = await fixture.ticker.tick()
    const seen: unknown[] = []
    await fixture.work(async () => {
      fixture.now += HOUR
      seen.push(await fixture.ticker.tick(), (await fixture.backups.ask("command")).id, await fixture.work())
    })
    expect(seen).toEqual([
      [{ kind: "backup", name: "fossick", run: first?.run, isLeftOut: true }],
      first?.run,
      false,
    ])
    expect(fixture.files).toHaveLength(1)
    expect(await fixture.backups.runs(5)).toMatchObject([
      {
        state: "finished",
        note: expect.stringContaining("2026-05-01T13:00:00.000Z was skipped") as unknown,
      },
    ])
  })

  test("treat a manual one made while one is due as the scheduled one", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare({ schedule: defineSchedule({ everyHours: 6 }) })
    await fixture.backups.ask("command")
    expect(await fixture.ticker.tick()).toEqual([])
    expect((await fixture.backups.plan())?.nextRun?.getTime()).toBe(fixture.now + 6 * HOUR)
  })

  test("are rescheduled when the clock is set: none is delayed for years", async () => {
    await using fixture = await Fixture.open()
    fixture.now += 3650 * DAY
    await fixture.declare({ schedule: defineSchedule({ everyHours: 6 }) })
    await fixture.ticker.tick()
    fixture.now -= 3650 * DAY
    await fixture.newTicker().tick()
    const next = (await fixture.backups.plan())!.nextRun!.getTime()
    expect(next).toBeGreaterThan(fixture.now)
    expect(next).toBeLessThanOrEqual(fixture.now + 6 * HOUR)
  })

  test("from a clock that was ahead are deleted first, and the new one stays", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare({ keep: 2 })
    for (const year of [2036, 2037])
      writeFileSync(join(fixture.folder, `fossick-${year}-01-01T00-00-00Z.tar`), "")
    writeFileSync(join(fixture.folder, "fossick-2026-04-30T02-30-00Z.tar"), "")
    await fixture.pass(1)
    expect(fixture.files).toEqual(["fossick-2026-04-30T02-30-00Z.tar", "fossick-2026-05-02T02-30-00Z.tar"])
  })
})

describe("the backup schedule", () => {
  test("keeps its next run when declared again, and gets a new one when its times change", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare()
    const next = new Date("2026-05-02T02:30Z")
    fixture.now += 3 * HOUR
    await fixture.declare({ keep: 9 })
    expect(await fixture.backups.plan()).toMatchObject({ nextRun: next, plan: { keep: 9 } })
    await fixture.declare({ schedule: defineSchedule({ cron: "0 20 * * *" }) })
    expect((await fixture.backups.plan())?.nextRun).toEqual(new Date("2026-05-01T20:00Z"))
    await fixture.declare({ schedule: null })
    expect((await fixture.backups.plan())?.nextRun).toBeNull()
    fixture.now += 30 * DAY
    expect(await fixture.ticker.tick()).toEqual([])
    expect((await fixture.backups.ask("command")).state).toBe("queued")
    await fixture.backups.declare(null)
    expect([await fixture.backups.plan(), await fixture.backups.unfinished()]).toEqual([null, null])
  })
})

describe("a failing backup", () => {
  /** Makes a backup that is expected to fail. */
  async function failing(change: (fixture: Fixture) => void) {
    const fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare()
    change(fixture)
    await fixture.pass(1)
    return fixture
  }

  test("reports a missing folder without creating it, and is retried at its next time", async () => {
    await using fixture = await failing(({ folder }) => rmSync(folder, { recursive: true }))
    const message = `The backup folder ${fixture.folder} doesn't exist: create or mount it.`
    expect(await fixture.backups.last("failed")).toMatchObject({ error: message, file: null })
    expect(fixture.said).toEqual([`backup {backup} failed: ${message}`])
    expect(existsSync(fixture.folder)).toBe(false)
    mkdirSync(fixture.folder)
    await fixture.pass(1)
    expect(await fixture.backups.runs(1)).toMatchObject([{ state: "finished" }])
  })

  test("keeps the older ones, and leaves no partial file, when the disk is full", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    const older = ["fossick-2026-04-29T02-30-00Z.tar", "fossick-2026-04-30T02-30-00Z.tar"]
    for (const name of older) writeFileSync(join(fixture.folder, name), "older")
    const plan = { name: "fossick", folder: fixture.folder, keep: 1, schedule: null }
    await using engine = await openIndex(fixture.dataDir, "read")
    const { dataDir, db } = fixture
    const signal = new AbortController().signal
    const options = { plan, dataDir, db, engine, signal, mayDelete: true }
    await expect(makeBackup({ ...options, minFreeMb: 100, freeBytes: () => 40e6 })).rejects.toThrow(
      `There is too little disk space for a backup: 40 MB left for ${fixture.folder}, and FOSSICK_MIN_FREE_MB keeps 100 MB free.`,
    )
    const full = new Proxy<Engine>(engine, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== "allPages") return typeof value === "function" ? value.bind(target) : value
        return () => {
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
        }
      },
    })
    await expect(makeBackup({ ...options, engine: full, minFreeMb: 0 })).rejects.toThrow(
      `left for ${fixture.folder}. Make room on it; the data on it is safe`,
    )
    expect(fixture.files).toEqual(older)
  })

  test("deletes none while the clock cannot be trusted", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    writeFileSync(join(fixture.folder, "fossick-2026-04-30T02-30-00Z.tar"), "older")
    const plan = { name: "fossick", folder: fixture.folder, keep: 1, schedule: null }
    await using engine = await openIndex(fixture.dataDir, "read")
    const { dataDir, db } = fixture
    const options = { plan, dataDir, db, engine, minFreeMb: 0, signal: new AbortController().signal }
    const made = await makeBackup({ ...options, mayDelete: false })
    expect(made).toMatchObject({
      deleted: [],
      note: expect.stringContaining("the clock was changed") as unknown,
    })
    expect(fixture.files).toHaveLength(2)
    expect((await makeBackup({ ...options, mayDelete: true })).deleted).toHaveLength(2)
  })

  test("is started again after a stop, unless it was started by hand", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir)
    await fixture.declare()
    for (const [trigger, state] of [
      ["schedule", "queued"],
      ["command", "failed"],
    ] as const) {
      const { id } = await fixture.backups.ask(trigger)
      const stop = new AbortController()
      await fixture.work(() => stop.abort(), stop.signal)
      expect((await fixture.backups.get(id))?.state).toBe(state)
      expect(fixture.files).toEqual([])
      if (state === "queued") await fixture.work()
      for (const name of fixture.files) rmSync(join(fixture.folder, name))
    }
  })
})

describe("backups in separate processes", () => {
  let vectors: Awaited<ReturnType<typeof startCheapVectors>>
  beforeAll(async () => {
    vectors = await startCheapVectors()
  })
  afterAll(() => vectors[Symbol.asyncDispose]())

  const env = (dataDir: string) => ({
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_MIN_FREE_MB: "0",
    FOSSICK_LOG_FORMAT: "json",
    ...vectors.settings,
  })

  async function fill(dataDir: string, pages: number): Promise<void> {
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...vectors.settings })
    await using engine = await openEngine(settings, { mode: "write", embedding: "off" })
    await engine.index(Array.from({ length: pages }, (_, i) => aPage(`p${i}`)))
  }

  test("leave no valid file when killed; the next one starts over and cleans up", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir, 400)
    await fixture.declare()
    const { id } = await fixture.backups.ask("schedule")
    const work = () =>
      spawn(process.execPath, [WORKER], {
        env: env(fixture.dataDir),
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      })
    const child = work()
    const exited = once(child, "exit")
    while (!fixture.files.some((name) => name.endsWith(".part"))) await sleep(2)
    child.kill("SIGKILL")
    await exited
    expect(fixture.files.filter((name) => name.endsWith(".tar"))).toEqual([])
    expect(fixture.files.filter((name) => name.endsWith(".tar.part"))).toHaveLength(1)
    expect((await fixture.backups.get(id))?.file).toBeNull()

    await once(work(), "exit")
    expect(await fixture.backups.get(id)).toMatchObject({ state: "finished", pages: 400 })
    expect(fixture.files.filter((name) => name.startsWith("fossick-"))).toEqual([
      expect.stringMatching(/Z\.tar$/) as unknown,
    ])
  })

  test("fail for good when they kill their process repeatedly", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare()
    const { id } = await fixture.backups.ask("schedule")
    for (let crash = 1; crash <= 3; crash++) {
      expect((await fixture.backups.start())?.id).toBe(id)
      await fixture.backups.recover()
    }
    expect(await fixture.backups.get(id)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("crashed repeatedly") as unknown,
    })
  })

  test("are made when due by the crawler process, and shown by the command", async () => {
    await using fixture = await Fixture.open()
    await fill(fixture.dataDir, 5)
    await new BackupTable(fixture.db).declare({
      name: "fossick",
      folder: fixture.folder,
      keep: 3,
      schedule: defineSchedule({ everyHours: 24 }),
    })
    const crawler = spawn(process.execPath, [MAIN], {
      env: env(fixture.dataDir),
      stdio: ["ignore", "pipe", "inherit"],
    })
    const exited = once(crawler, "exit")
    const said: Record<string, unknown>[] = []
    for await (const line of createInterface({ input: crawler.stdout })) {
      said.push(JSON.parse(line) as Record<string, unknown>)
      if (/ finished: \d+ s$/.test(String(said.at(-1)?.["msg"]))) crawler.kill("SIGTERM")
    }
    expect((await exited)[0]).toBe(0)
    expect(said.find(({ msg }) => msg === "the scheduled backup fossick is queued")).toMatchObject({
      backup: "fossick",
      run: 1,
    })
    expect(said.find(({ seconds }) => seconds !== undefined)).toMatchObject({ pages: 5, run: 1, deleted: 0 })
    expect(fixture.files).toHaveLength(1)
    expect(await verifyBackup(join(fixture.folder, fixture.files[0]!))).toMatchObject({ exportedPages: 5 })
    {
      // The lock is released at once, because the command below takes it.
      using lock = tryLock(join(fixture.dataDir, "locks", "backup.lock"))
      expect(lock).not.toBeNull()
    }

    const fossick = fileURLToPath(new URL("../../../../command/main.ts", import.meta.url))
    const shown = (...args: string[]) =>
      new Promise<string>((resolve, reject) => {
        execFile(
          process.execPath,
          [fossick, ...args],
          { env: env(fixture.dataDir), cwd: fixture.folders.at("") },
          (error, out) => (error ? reject(error) : resolve(out)),
        )
      })
    const list = JSON.parse(await shown("backups", "list", "--json")) as { runs: unknown[] }
    expect(list).toMatchObject({ plan: { keep: 3 }, runs: [{ state: "finished", trigger: "schedule" }] })
    expect(await shown("backups", "list")).toContain(`${fixture.files[0]} (`)
    expect(await shown("backups", "run")).toContain("5 pages")
    expect(fixture.files).toHaveLength(2)
  })
})
