import { expect, test } from "vitest"

import { fieldChanges } from "./field-changes.ts"

test("what is different is told by its field, and nothing else", () => {
  const before = { name: "docs", limits: { pages: 10, depth: 3 }, seeds: ["https://a.example/"] }
  const after = { name: "docs", limits: { pages: 20 }, seeds: ["https://a.example/"], paused: true }
  expect(fieldChanges(before, after)).toEqual([
    { field: "limits.pages", before: "10", after: "20" },
    { field: "limits.depth", before: "3", after: null },
    { field: "paused", before: null, after: "true" },
  ])
  expect(fieldChanges(before, before)).toEqual([])
  expect(fieldChanges(null, undefined)).toEqual([])
})

test("secrets are hidden by their names and their forms, names of secrets are not", () => {
  const changes = fieldChanges(null, {
    api_key: "mark-1",
    login: { password: "mark-2", headers: { "X-Team": "mark-3", Authorization: "Bearer ${SITE_TOKEN}" } },
    webhooks: [{ url: "https://hooks.example/", secret: "mark-4" }],
    proxy: "http://user:mark-5@proxy.example:3128/",
    url: "https://hooks.example/in?team=1&access_token=mark-6#top",
    note: "try fsk-mark7mark7mark7mark7mark7 instead",
    tokens: 5,
    key: null,
  })
  expect(JSON.stringify(changes)).not.toContain("mark")
  expect(changes).toContainEqual({
    field: "login.headers.Authorization",
    before: null,
    after: '"Bearer ${SITE_TOKEN}"',
  })
  expect(changes).toContainEqual({ field: "tokens", before: null, after: "5" })
  expect(changes).toContainEqual({
    field: "url",
    before: null,
    after: '"https://hooks.example/in?team=1&access_token=…#top"',
  })
})

test("long values are cut, and many fields are counted", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, "long ".repeat(1000)]))
  const changes = fieldChanges(null, many)
  expect(changes.at(-1)!.field).toBe("and 30 more")
  expect(JSON.stringify(changes).length).toBeLessThan(6000)
})
