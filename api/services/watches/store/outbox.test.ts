import { expect, test } from "vitest"

import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import type { PageUrl } from "#engine"

import { memoryState } from "../../../testing/serve-app.ts"
import { CHANGES } from "../watch.ts"
import { WatchOutbox } from "./outbox.ts"
import { WatchStore } from "./watch-store.ts"

const ADDRESS = "https://garden.example.com/roses" as PageUrl

/** A watch that has found one page, and has a message about it for its receiver. */
async function withMessage() {
  const db = memoryState()
  void new Jobs(db)
  void new KnownAddresses(db)
  const store = new WatchStore(db, { textBytes: 0 })
  const outbox = new WatchOutbox(db)
  const watch = (await store.create(
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
  ))!
  const entry = { change: "gone", title: "Roses", sources: ["garden"], diff: null } as const
  await store.keep([{ watch: watch.id, url: ADDRESS, entry, seen: null, before: null }], [], Date.now())
  await outbox.collect(watch)
  return { outbox, store, watch }
}

test("a message is sent for the watch's key, waits while the watch is paused, and is deleted with it", async () => {
  const { outbox, store, watch } = await withMessage()
  const due = () => outbox.due(new Set(), 9)
  const message = { watch: watch.id, key: watch.key, kind: "webhook", receiver: "https://hook.example/" }
  expect(await due()).toMatchObject([message])
  await store.change(watch.id, { ...watch, paused: true })
  expect(await due()).toEqual([])
  await store.change(watch.id, watch)
  expect(await due()).toMatchObject([message])
  await store.delete(watch.id)
  expect(await outbox.count()).toBe(0)
})

test("collects an entry only once", async () => {
  const { outbox, store, watch } = await withMessage()
  await outbox.collect((await store.get(watch.id))!)
  expect(await outbox.list({ limit: 9 }, { watch: watch.id })).toHaveLength(1)
})
