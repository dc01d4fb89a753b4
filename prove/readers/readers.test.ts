import { expect, test } from "vitest"
import { proof } from "./readers.ts"
import { admits } from "./world.ts"

test("No one sees a page that its readers exclude them from, whatever they ask", async () => {
  const { rows, faults } = await proof.run({ scale: 0.01, seed: 5, tell: () => {} })
  expect(faults).toEqual([])
  const [, calls, shown, , leaks] = rows.at(-1)!
  expect(calls).toBeGreaterThan(200)
  expect(shown).toBeGreaterThan(100)
  expect(leaks).toBe(0)
  for (const of of ["misspelt searches", "facets", "suggestions", "watches", "federation", "paid searches"])
    expect(rows.find(([name]) => name === of)?.[1]).toBeGreaterThan(0)
  for (const of of [
    "MCP through connected programs",
    "services that ask on behalf of people",
    "while pages are rewritten",
    "while readers change",
    "after readers have changed",
  ])
    expect(rows.find(([name]) => name === of)?.[2]).toBeGreaterThan(0)
})

test("The oracle admits people on an allow list and keeps out people on a deny list", () => {
  const anna = ["user:anna@example.com", "group:hr", "signed-in"]
  expect([admits(anna, {}), admits([], {})]).toEqual([true, true])
  expect([admits(anna, { allow: ["group:hr", "group:it"] }), admits([], { allow: ["group:hr"] })]).toEqual([
    true,
    false,
  ])
  expect(admits(anna, { allow: ["group:hr"], deny: ["user:anna@example.com"] })).toBe(false)
  expect([admits(anna, { deny: ["group:it"] }), admits(anna, { allow: [] })]).toEqual([true, false])
})
