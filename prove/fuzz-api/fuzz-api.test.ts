import { expect, test } from "vitest"
import { proof } from "./fuzz-api.ts"
import { PROGRAM } from "./schemathesis.ts"

// Tests install nothing: `npm run prove -- fuzz-api` does.
test.skipIf(process.env[PROGRAM] === undefined)(
  `A few calls with made-up values are answered as the document says, by five callers (${PROGRAM} names the program)`,
  async () => {
    const { rows, faults } = await proof.run({ scale: 0.01, seed: 7, tell: () => {} })
    expect(faults).toEqual([])
    expect(rows.map(([name]) => name)).toContain("nobody")
    expect(rows.at(-1)![2]).toBeGreaterThan(30)
  },
)
