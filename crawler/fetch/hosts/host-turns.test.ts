import { expect, test } from "vitest"
import { OwnProcess } from "#base/store/processes/own-process.ts"
import { statement } from "#base/store/testing/statement.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { steadyNow } from "#base/steady-time.ts"
import { HostPaces } from "./host-paces.ts"
import { HostTurns } from "./host-turns.ts"

const HOST = "docs.example"
const MANNERS = { concurrency: 1, delayMs: 0 }

/** A process with its turns, and the holder of each turn according to the state. */
async function crawler(db = emptyState()) {
  const own = await OwnProcess.begin(db, "crawler")
  const turns = new HostTurns(db, own, (error) => {
    throw error
  })
  const row = statement(db, "select process from host_turn where host = ?")
  const holder = async () => (await row.get(HOST))?.["process"]
  return { own, turns, paces: new HostPaces(turns), holder }
}

test("a host is contacted only once the state has granted the turn, which wakes the waiting party", async () => {
  const { own, turns, paces, holder } = await crawler()
  let woken = 0
  const party = { wake: () => void (woken += 1) }
  const pace = paces.of(HOST)
  pace.join(party, MANNERS)
  const now = steadyNow()
  expect(pace.freeAt(now)).toBeGreaterThan(now)
  await expect.poll(() => woken).toBeGreaterThan(0)
  expect(await holder()).toBe(own.id)
  expect(pace.freeAt(now)).toBeLessThanOrEqual(now)
  await turns[Symbol.asyncDispose]()
  expect(await holder()).toBeNull()
})

test("a turn that is no longer wanted when it arrives is released at once", async () => {
  const { turns, paces, holder } = await crawler()
  const party = { wake: () => undefined }
  const pace = paces.of(HOST)
  pace.join(party, MANNERS)
  pace.freeAt(steadyNow())
  paces.leave(party)
  await expect.poll(holder).toBeNull()
  await turns[Symbol.asyncDispose]()
})

test("a released turn can be taken again at once", async () => {
  const { own, turns, paces, holder } = await crawler()
  const options = { manners: MANNERS, signal: new AbortController().signal }
  for (let round = 0; round < 3; round++) {
    const turn = await paces.turn(HOST, options)
    expect(await holder()).toBe(own.id)
    turn![Symbol.dispose]()
  }
  await turns[Symbol.asyncDispose]()
  expect(await holder()).toBeNull()
})
