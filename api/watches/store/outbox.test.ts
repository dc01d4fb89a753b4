import { expect, test } from "vitest"

import { KnownAddresses } from "#crawler/frontier/known-addresses.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import type { PageUrl } from "#engine"

import { memoryState } from "../../testing/serve-app.ts"
import { CHANGES } from "../watch.ts"
import { Outbox } from "./outbox.ts"
import { WatchStore } from "./watch-store.ts"

const HOUR = 3_600_000
const YEARS = 10 * 365 * 24 * HOUR
const ADDRESS = "https://garden.example.com/roses" as PageUrl

/** A watch that has found one page, with a message of it to its receiver. */
function withMessage(now: number) {
  const db = memoryState()
  void new Jobs(db)
  void new KnownAddresses(db)
  const store = new WatchStore(db, { textBytes: 0 })
  const outbox = new Outbox(db)
  const watch = store.create(
    {
      key: "operator",
      subject: { kind: "page", urls: [ADDRESS] },
      name: "",
      changes: CHANGES,
      webhook: "https://hook.example/",
      emails: [],
      everyMinutes: 0,
      paused: false,
    },
    1,
  )!
  const entry = { change: "gone", title: "Roses", sources: ["garden"], diff: null } as const
  store.keep([{ watch: watch.id, url: ADDRESS, entry, seen: null, before: null }], [], now)
  outbox.collect(watch, now)
  return { outbox, watch }
}

test("a clock that was ahead keeps no message back, and the message has a day from then", () => {
  const now = Date.UTC(2026, 0, 1)
  const { outbox, watch } = withMessage(now + YEARS)
  const due = (at: number) => outbox.due(at, new Set(), 9)
  const refused = { error: "answered 500", status: 500, final: false } as const
  const [message] = due(now + YEARS)
  outbox.settle(message!.id, refused, now + YEARS)
  expect(due(now + YEARS)).toEqual([])
  expect(due(now)).toHaveLength(1)
  outbox.settle(message!.id, refused, now)
  expect(due(now)).toEqual([])
  expect(outbox.list(watch.id, 9)).toMatchObject([{ state: "waiting", attempts: 2 }])
  outbox.settle(message!.id, refused, now + 24 * HOUR)
  expect(outbox.list(watch.id, 9)).toMatchObject([{ state: "given-up", nextAttemptAt: null }])
})

test("a key that has its share of the receivers is told nothing more, and another key is", () => {
  const now = Date.UTC(2026, 0, 1)
  const { outbox, watch } = withMessage(now)
  const due = (served: readonly string[]) => outbox.due(now, new Set(), 9, served).map((one) => one.watch)
  expect(due(["another"])).toEqual([watch.id])
  expect(due([watch.key])).toEqual([])
})
