import { connect } from "@lancedb/lancedb"
import { cp, readdir, readlink, stat } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { garbageCollector } from "#base/process/garbage-collector.ts"
import { until } from "#base/testing/until.ts"
import { steadyNow } from "#base/steady-time.ts"
import { adapter } from "#engine/testing/embedded-under-test.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { EmbeddedEngine } from "../embedded-engine.ts"
import { PAGES_DB } from "../files/page-store.ts"
import { LeftVersions } from "./left-versions.ts"
import { OldVersions } from "./old-versions.ts"

const DAY_MS = 86_400_000
const pages = Array.from({ length: 60 }, (_, i) =>
  aPage(`p${i}`, {
    markdown: Array.from({ length: 2000 }, (__, at) => `word${(i * 7919 + at * 104_729) % 5003}`).join(" "),
  }),
)
const gone = pages.slice(4).map(({ url }) => url)
const kept = pages[3]!

describe("the disk space of deleted pages", () => {
  let filled: string
  let data: string
  let dir: string

  beforeAll(async () => {
    filled = await adapter.freshPlace()
    dir = path.join(filled, "index")
    await using engine = await open()
    await engine.index(pages)
    await engine.settled()
  })
  afterAll(() => adapter.removePlace(filled))

  beforeEach(async () => {
    data = await adapter.freshPlace()
    dir = path.join(data, "index")
    await cp(path.join(filled, "index"), dir, { recursive: true })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await adapter.removePlace(data)
  })

  const open = (mode: "read" | "write" = "write") =>
    EmbeddedEngine.open({ dir, mode, embedder: new HashingEmbedder() })

  /** All files of the index; starts over if a folder disappears while it is being read. */
  const below = (): Promise<string[]> => readdir(dir, { recursive: true }).catch(below)

  /** Size of everything that grows with the number of pages; the counts of terms have a fixed size. */
  const bytes = async (): Promise<number> => {
    const names = (await below()).filter((name) => /\.lance\/|^pages\.db$/.test(name))
    const sizes = names.map(async (name) => (await stat(path.join(dir, name)).catch(() => null))?.size ?? 0)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  const versions = async () =>
    (await readdir(path.join(dir, "pages.lance", "_versions"))).filter((name) => name.endsWith(".manifest"))

  /** Whether a reader finds the text. False for about a second, while the reader still uses a version that was deleted too early because the clock was moved. */
  const finds = async (reader: EmbeddedEngine, text: string) =>
    await reader.search({ text, limit: 1 }).then(
      ({ hits }) => hits.length === 1,
      () => false,
    )

  test("is reclaimed while nothing is written, and a reader keeps finding", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] })
    await using engine = await open()
    await using reader = await open("read")
    const most = await bytes()
    await engine.remove(gone)
    await engine.settled()
    expect(await bytes()).toBeGreaterThan(most * 0.9)
    // From here on, nothing happens except that time passes.
    await until(async () => {
      await vi.advanceTimersByTimeAsync(10_000)
      if (!(await finds(reader, "word7"))) return false
      return (await bytes()) < most * 0.4 && (await versions()).length === 1
    })
    expect((await engine.get(kept.url))?.markdown).toBe(kept.markdown)
  })

  test("is reclaimed by the next process when one ends first", async () => {
    {
      await using engine = await open()
      await engine.remove(gone)
      await engine.settled()
    }
    const before = await bytes()
    let now = 0
    const left = new LeftVersions(() => now)
    expect(await left.areDue(dir)).toBe(false)
    now += 59_000
    expect(await left.areDue(dir)).toBe(false)
    now += 2_000
    expect(await left.areDue(dir)).toBe(true)
    // The same versions are reported only once: otherwise a full disk would cause endless retries.
    expect(await left.areDue(dir)).toBe(false)

    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + now })
    {
      await using engine = await open()
      await engine.settled()
    }
    expect(await bytes()).toBeLessThan(before * 0.7)
    expect(await versions()).toHaveLength(1)
    now += 61_000
    expect(await left.areDue(dir)).toBe(false)
  })

  test("is not held by a reader that searches for days", { tags: ["linux"] }, async () => {
    const heldFiles = async () => {
      garbageCollector()()
      await setImmediate()
      const links = await Promise.all(
        (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
      )
      return links.filter((link) => link.includes(dir) && link.includes("_indices")).length
    }
    vi.useFakeTimers({ toFake: ["Date", "performance"] })
    await using reader = await open("read")
    let most = 0
    for (let crawl = 0; crawl < 12; crawl++) {
      vi.setSystemTime(Date.now() + DAY_MS)
      vi.advanceTimersByTime(DAY_MS)
      {
        await using engine = await open()
        await engine.index([aPage("changed", { markdown: `word7 of crawl ${crawl}` })])
        await engine.settled()
      }
      await until(() => finds(reader, `crawl ${crawl}`))
      most = Math.max(most, await heldFiles())
    }
    expect(most).toBeLessThan(12)
  })

  test("is reclaimed from a page file made by an older version", async () => {
    const file = path.join(dir, PAGES_DB)
    {
      const db = new DatabaseSync(file)
      db.exec("pragma auto_vacuum = none; vacuum; pragma wal_checkpoint(truncate)")
      db.close()
    }
    const { size: most } = await stat(file)
    {
      await using engine = await open()
      await engine.remove(gone.slice(0, 16))
    }
    // The freed space isn't worth rewriting everything that is left.
    expect((await stat(file)).size).toBeGreaterThan(most * 0.9)
    {
      await using engine = await open()
      await engine.remove(gone)
    }
    expect((await stat(file)).size).toBeLessThan(most * 0.3)
    await using engine = await open()
    expect((await engine.get(kept.url))?.markdown).toBe(kept.markdown)
  })

  test("is reclaimed one minute after a clock change, forward or back", async () => {
    const connection = await connect(dir)
    const table = await connection.createTable("some", [{ id: 1 }])
    for (const id of [2, 3]) await table.add([{ id }])
    const count = async () => (await table.listVersions()).length
    for (const step of [400 * DAY_MS, -800 * DAY_MS]) {
      vi.useFakeTimers({ toFake: ["Date", "performance"] })
      const old = new OldVersions(table)
      await table.add([{ id: 4 }])
      const before = await count()
      vi.setSystemTime(Date.now() + step)
      const since = steadyNow()
      expect(await old.areDue()).toBe(false)
      await old.clean()
      expect(await count()).toBeGreaterThanOrEqual(before)
      vi.advanceTimersByTime(61_000)
      expect(steadyNow() - since).toBeGreaterThan(60_000)
      expect(await old.areDue()).toBe(true)
      // The first run may merge files and leave behind the files that it replaced.
      await old.clean()
      await old.clean()
      expect(await count()).toBeLessThan(before)
      vi.useRealTimers()
    }
    connection.close()
  })
})
