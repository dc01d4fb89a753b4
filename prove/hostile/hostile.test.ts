import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, test } from "vitest"
import { peakGrowth } from "../../bench/measure.ts"
import { ADDRESSES } from "./addresses.ts"
import type { Arena, Kind } from "./attack.ts"
import { openArena, played, proof } from "./hostile.ts"
import { rebindings } from "./rebinding.ts"

test("No listed attack reaches the private service, runs code, writes files or continues endlessly", async () => {
  const { rows, faults } = await proof.run({ scale: 0.02, seed: 1, tell: () => undefined })
  expect(faults).toEqual([])
  expect(Number(rows.at(-1)![2])).toBeGreaterThan(500)
})

/** The results of the first attacks of some kinds, by name. */
async function told(
  arena: Arena,
  kinds: readonly Kind[],
  wanted: RegExp,
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>()
  for (const { kind, attacks } of kinds) {
    for (const attack of attacks.filter(({ name }) => wanted.test(`${kind}: ${name}`)).slice(0, 3))
      found.set(`${kind}: ${attack.name}`, await played(attack, arena))
  }
  return found
}

test("The same attacks succeed and are reported when the network is allowed", async () => {
  await using arena = await openArena(0.02, "127.0.0.0/8,localhost")
  const wanted = /^(?:spellings|redirects: to|DNS rebinding|feeds.*(?:308|of the source|index that names))/
  const arrived = await told(arena, [...ADDRESSES, ...rebindings(0.02)], wanted)
  expect(arrived.size).toBe(16)
  for (const fault of arrived.values()) expect(fault).toMatch(/^the private service was reached/)
})

test("The memory of child processes is counted along with this process's", async () => {
  const script = "globalThis.kept = Buffer.alloc(300_000_000, 1); setTimeout(() => 0, 200)"
  const { grown } = await peakGrowth(() => once(spawn(process.execPath, ["-e", script]), "exit"))
  expect(grown).toBeGreaterThan(300_000_000)
})
