import { expect, test } from "vitest"
import { proof } from "./cluster.ts"

test("a node killed while pages are indexed, and one while questions are asked, cost no page and no answer", async () => {
  const { faults, rows } = await proof.run({ scale: 0.1, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  // The columns of each row: what was running when the node was killed, kills, calls, failed …
  expect(rows.map(([, kills, , failed]) => [kills, failed])).toEqual([
    [1, 0],
    [1, 0],
  ])
})
