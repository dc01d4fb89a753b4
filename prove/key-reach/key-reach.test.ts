import { expect, test } from "vitest"
import { readScope } from "../../api/identity/accounts/keys/key-scope.ts"
import { proof } from "./key-reach.ts"
import { naive } from "./world.ts"

test("No key ever sees a page outside its scope, whatever it calls", async () => {
  const { rows, faults } = await proof.run({ scale: 0.01, seed: 3, tell: () => {} })
  expect(faults).toEqual([])
  const [, calls, shown, , leaks] = rows.at(-1)!
  expect(calls).toBeGreaterThan(100)
  expect(shown).toBeGreaterThan(60)
  expect(leaks).toBe(0)
  for (const of of ["search", "MCP", "Firecrawl", "watches", "suggestions"])
    expect(rows.find(([name]) => name === of)?.[2]).toBeGreaterThan(0)
})

test("The oracle decides by sources, collections, domains and ports", () => {
  const page = {
    number: 0,
    asked: "a",
    inAddress: "b",
    proof: "c",
    isLive: false,
    url: "https://docs.example.com:8443/b",
    host: "docs.example.com",
    port: 8443,
    sources: ["s1", "s4"],
  }
  const sees = (written: Parameters<typeof readScope>[0]) => naive(readScope(written), page)
  expect([sees({}), sees({ sources: ["s4"] }), sees({ collections: ["c0"] })]).toEqual([true, true, true])
  expect([sees({ sources: ["s0"] }), sees({ collections: ["c1", "gone"] })]).toEqual([false, false])
  expect([sees({ domains: ["example.com"] }), sees({ domains: ["example.com:8443"] })]).toEqual([true, true])
  expect([sees({ domains: ["notexample.com"] }), sees({ domains: ["docs.example.com:443"] })]).toEqual([
    false,
    false,
  ])
  expect(sees({ sources: ["s4"], domains: ["example.org"] })).toBe(false)
})
