import { expect, test } from "vitest"
import { postgresPrograms } from "#base/store/testing/postgres-server.ts"
import { proof } from "./crawlers.ts"

test("a crawler that is killed at a moment of chance costs no page, and no host its pause", async () => {
  const { rows, faults } = await proof.run({ scale: 0.05, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  const [rounds, killed, pages, lost, paused] = [1, 1, 30, 0, 0]
  const kept = (store: string) => [store, rounds, killed, pages, lost, expect.any(Number), paused]
  expect(rows).toEqual([kept("state.db"), ...(postgresPrograms() === null ? [] : [kept("PostgreSQL")])])
})
