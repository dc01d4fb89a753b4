import { expect, test } from "vitest"

import { emptyState } from "#base/store/testing/empty-state.ts"

import { openSealer } from "./sealer.ts"
import { openShownOnce } from "./shown-once.ts"

test("a sealed value opens only for its purpose, in every process on the same state and in no other", async () => {
  using db = emptyState()
  using other = emptyState()
  const sealer = await openSealer(db)
  const sealed = sealer.seal("held", "a secret text")
  expect((await openSealer(db)).open("held", sealed)).toBe("a secret text")
  expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("secret")
  expect(sealer.seal("held", "a secret text")).not.toBe(sealed)
  const changed = (sealed.startsWith("A") ? "B" : "A") + sealed.slice(1)
  const wrong = [sealer.open("journey", sealed), sealer.open("held", changed), sealer.open("held", "")]
  expect([...wrong, (await openSealer(other)).open("held", sealed)]).toEqual([null, null, null, null])
})

test("a value counts as shown until it expires", async () => {
  using db = emptyState()
  const isFirst = openShownOnce(db, { run: async (work) => await work() })
  const until = Date.now() + 60_000
  expect([await isFirst("a", until), await isFirst("a", until), await isFirst("b", until)]).toEqual([
    true,
    false,
    true,
  ])
})
