import { expect, test } from "vitest"
import { proof } from "./fuzz-api.ts"

test("A few calls with made-up values are answered as the document says, by five callers", async (context) => {
  const { rows, faults } = await proof.run({ scale: 0.01, seed: 7, tell: () => {} })
  const [first] = rows[0]!
  if (String(first).startsWith("not tried")) context.skip(String(first))
  expect(faults).toEqual([])
  expect(rows.map(([name]) => name)).toContain("nobody")
  expect(rows.at(-1)![2]).toBeGreaterThan(30)
})
