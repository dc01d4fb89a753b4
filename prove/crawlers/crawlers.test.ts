import { expect, test } from "vitest"
import { postgresPrograms } from "#base/store/testing/postgres-server.ts"
import { proof } from "./crawlers.ts"

test("a crawler killed at a random moment loses no page, and every host keeps its pause", async () => {
  const { rows, faults } = await proof.run({ scale: 0.05, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  const [rounds, killed, pages, lost, paused] = [1, 1, 30, 0, 0]
  const kept = (store: string) => [store, rounds, killed, pages, lost, expect.any(Number), paused]
  expect(rows).toEqual([kept("state.db"), ...(postgresPrograms() === null ? [] : [kept("PostgreSQL")])])
})
