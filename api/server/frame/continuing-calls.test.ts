import { expect, test } from "vitest"

import type { Context } from "../../context.ts"
import { isContinuing } from "../outage/continuing.ts"
import { continuingCalls } from "./continuing-calls.ts"

test("a call that a tool makes inside an MCP call continues only if it only reads the index", async () => {
  const found: boolean[] = []
  const call = continuingCalls({ isCovered: true })
  const asked = (path: string) => ({ method: "POST", path }) as Context
  await call(asked("/mcp"), async () => {
    found.push(isContinuing())
    for (const path of ["/search", "/extract"])
      await call(asked(path), async () => void found.push(isContinuing()))
    found.push(isContinuing())
  })
  expect(found).toEqual([true, true, false, true])
  // If outages aren't covered, calls cannot be stored until they can be counted.
  await continuingCalls({ isCovered: false })(asked("/search"), async () => void found.push(isContinuing()))
  expect(found.at(-1)).toBe(false)
})
