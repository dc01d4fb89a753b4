import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { lockForWriting } from "#engine/index/writer-lock.ts"
import type { Job } from "../../job.ts"
import { defineSource } from "../../source.ts"
import { openUnlessLocked } from "../open-unless-locked.ts"
import { CrawlDisplay } from "./crawl-display.ts"

let out = ""
beforeEach(() => {
  out = ""
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text)
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

const NOW = Date.now()

function job(id: number, name: string, of: Partial<Job> = {}): Job {
  return {
    id,
    source: defineSource({ name, seeds: [`https://${name}.example/`] }),
    trigger: "run",
    author: "operator",
    visits: "all",
    state: "queued",
    createdAt: new Date(NOW),
    startedAt: null,
    endedAt: null,
    error: null,
    note: null,
    result: null,
    reason: null,
    changes: { new: 0, changed: 0, gone: 0 },
    checkedByCopy: { pages: 0, sparedBytes: 0 },
    queued: 0,
    waits: [],
    outcomes: {},
    ...of,
  }
}

test("each of several crawls is shown with its own duration", () => {
  const display = new CrawlDisplay(false)
  const ended = (id: number, name: string, from: number, to: number) =>
    job(id, name, {
      state: "finished",
      startedAt: new Date(NOW + from * 1000),
      endedAt: new Date(NOW + to * 1000),
    })
  const [docs, wiki] = [ended(1, "docs", 5, 17), ended(2, "wiki", 17, 80)]
  for (const one of [docs, wiki]) display.start(one)
  for (const one of [docs, wiki]) display.end(one, [])
  expect(out).toContain("docs: Finished after 12 s")
  expect(out).toContain("wiki: Finished after 1 min 3 s")
})

test("a waiting crawl names the process that holds the index and the sources crawled meanwhile", async () => {
  using folder = temporaryFolder()
  using _ = lockForWriting(folder.path)
  const display = new CrawlDisplay(false)
  const waiting = job(2, "wiki")
  display.start(waiting)
  for (let turn = 0; turn < 3; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- as the command does, again and again
    const opened = await openUnlessLocked(async () => lockForWriting(folder.path), display.note.bind(display))
    expect(opened).toBeNull()
    display.show([waiting], new Set(["docs"]))
  }
  expect(out.match(/Another process \(process \d+\) is writing to the index/g)).toHaveLength(1)
  expect(out).toContain(`(process ${process.pid})`)
  expect(out).toContain("waiting for other sources to be crawled: docs")
})
