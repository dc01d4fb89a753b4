import { expect, test } from "vitest"

import { proof } from "./load.ts"

test("many, too many and rude callers get their answer or an early refusal, and leave nothing behind", async () => {
  const { rows, faults } = await proof.run({ scale: 0.003, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  expect(rows.length).toBeGreaterThan(KINDS_AND_PHASES)
})

/** Number of kinds of calls in the mix, and of other phases. */
const KINDS_AND_PHASES = 12
