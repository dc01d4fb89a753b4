import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { expect, test } from "vitest"

import { pause } from "#base/flow/pause.ts"
import { until } from "#base/testing/until.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { pageHash } from "#crawler/page/page-hash.ts"
import { defineSource } from "#crawler/source.ts"
import type { PageUrl } from "#engine"
import { aPage } from "#engine/testing/pages.ts"

import { WatchStore } from "./store/watch-store.ts"
import { startReceiver } from "./testing/receiver.ts"
import { CHANGES } from "./watch.ts"
import { openWatchSecrets } from "./watch-secrets.ts"

// Days on which pages appear, change, disappear and come back, while the watching process is killed again and again.

const FOLLOWER = join(import.meta.dirname, "testing/watch-follower.ts")
const PAGES = 12
const DAYS = 3
/** Maximum number of kills per day. */
const KILLS = 2

const urlOf = (at: number) => `https://garden.example.com/${at}` as PageUrl
/**
 * The content of an address on a day: nothing, or a version of the page. The series of pseudo-random numbers is fixed
 * (Knuth's multiplier).
 */
function versionOf(at: number, day: number): number | null {
  const roll = ((at * 31 + day * 17 + 7) * 2_654_435_761) >>> 0
  if (day === 0) return at % 3 === 0 ? null : 0
  const before = versionOf(at, day - 1)
  const kind = (roll >>> 8) % 4
  if (kind === 0) return before === null ? day : null
  return kind === 1 && before !== null ? day : before
}

test("through days of kills, each change is reported exactly once, in the feed and to the receiver", async () => {
  await using opened = new AsyncDisposableStack()
  const { dir, db, engine } = await openDataFolder(opened)
  const known = new KnownAddresses(db)
  const jobs = new Jobs(db)
  const source = defineSource({ name: "garden", seeds: ["https://garden.example.com/"] })

  /** A run of the source at the end of a day: it updates the index first, then the records of the addresses. */
  async function crawl(day: number): Promise<void> {
    const job = await jobs.enqueue(source)
    await jobs.start(job.id)
    for (let at = 0; at < PAGES; at++) {
      const url = urlOf(at)
      const [version, before] = [versionOf(at, day), day === 0 ? null : versionOf(at, day - 1)]
      if (version === before) continue
      if (version === null) {
        await engine.remove([url])
        await known.record(job, [
          { url, outcome: "failed:http-status", detail: "410", status: 410, hash: null },
        ])
        continue
      }
      const title = `Bed ${at}`
      const page = aPage(url, { source: "garden", title, markdown: `The bed ${at} as of day ${version}.` })
      await engine.index([page])
      await known.record(job, [{ url, outcome: "indexed", detail: null, hash: pageHash(page), title }])
    }
    await jobs.end(job.id, "finished")
  }

  await crawl(0)
  const store = new WatchStore(db, { textBytes: 1_000_000 })
  let secret = ""
  const receiver = opened.use(await startReceiver(() => secret))
  const watch = (await store.create(
    {
      key: "operator",
      subject: { kind: "source", source: "garden", include: [], exclude: [] },
      name: "week",
      changes: CHANGES,
      webhook: receiver.url,
      emails: [],
      everyMinutes: 0,
      paused: false,
    },
    1,
  ))!
  secret = (await openWatchSecrets(db)).signingSecret(watch.id)

  let follower: ChildProcess | null = null
  const start = async () => {
    follower = fork(FOLLOWER, [dir], { stdio: ["ignore", "ignore", "inherit", "ipc"] })
    await once(follower, "message")
  }
  const kill = async () => {
    if (follower === null) return
    const gone = once(follower, "exit")
    follower.kill("SIGKILL")
    await gone
    follower = null
  }
  opened.defer(kill)
  const isQuiet = async () =>
    (await store.notes(Number.MAX_SAFE_INTEGER, 1)).length === 0 &&
    (await store.get(watch.id))!.readyAt !== null
  const quiet = () => until(isQuiet, 50)

  await start()
  await quiet()
  const expected: { change: string; url: string }[] = []
  for (let day = 1; day <= DAYS; day++) {
    for (let at = 0; at < PAGES; at++) {
      const [version, before] = [versionOf(at, day), versionOf(at, day - 1)]
      if (version === before) continue
      const change = version === null ? "gone" : before === null ? "new" : "changed"
      expected.push({ change, url: urlOf(at) })
    }
    const crawling = crawl(day)
    for (let time = 0; time < 1 + (day % KILLS); time++) {
      // The kill sometimes happens before a check, sometimes during one or while messages are being sent.
      await pause(((day * KILLS + time) * 97) % 700)
      await kill()
      await start()
    }
    await crawling
    await quiet()
  }

  const entries = await store.entriesFrom(watch.id, 0, Number.MAX_SAFE_INTEGER)
  const inOrder = (list: readonly { change: string; url: string }[]) =>
    list.map(({ change, url }) => `${url} ${change}`)
  // Entries of one address are in order; entries of different addresses may come in any order.
  expect(inOrder(entries).toSorted()).toEqual(inOrder(expected).toSorted())
  for (let at = 0; at < PAGES; at++) {
    const ofPage = (list: readonly { change: string; url: string }[]) =>
      list.filter(({ url }) => url === urlOf(at)).map(({ change }) => change)
    expect(ofPage(entries)).toEqual(ofPage(expected))
  }
  const changed = entries.filter(({ change }) => change === "changed")
  expect(changed.length).toBeGreaterThan(3)
  for (const { diff } of changed)
    expect(diff).toMatch(/^-The bed \d+ as of day \d\.\n\+The bed \d+ as of day \d\.$/m)
  // A message may arrive twice, but together the messages report every entry exactly once if each id is counted once.
  await until(async () => receiver.entries().length >= entries.length)
  expect(
    receiver
      .entries()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(entries.map(({ id }) => id).toSorted())
  expect(receiver.messages.every(({ isGenuine }) => isGenuine)).toBe(true)
})
