import { expect, test } from "vitest"
import { ADDRESSES } from "./addresses.ts"
import { openArena, played, proof } from "./hostile.ts"

test("No attack of the list reaches the private service, runs, writes or goes on without end", async () => {
  const { rows, faults } = await proof.run({ scale: 0.02, seed: 1, tell: () => undefined })
  expect(faults).toEqual([])
  expect(Number(rows.at(-1)![2])).toBeGreaterThan(300)
})

test("Where the network is allowed the same attacks arrive, and are told", async () => {
  await using arena = await openArena(0.02, "127.0.0.0/8,localhost")
  const arrived = []
  for (const kind of [0, 2])
    for (const attack of ADDRESSES[kind]!.attacks.slice(0, 3)) arrived.push(await played(attack, arena))
  for (const fault of arrived) expect(fault).toMatch(/^the private service was asked/)
})
