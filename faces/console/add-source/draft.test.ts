import { expect, test } from "vitest"

import { draftOf, EMPTY, sourceOf } from "./draft.ts"

test.each([
  { name: "docs", seeds: ["https://docs.example.com/"] },
  {
    name: "wiki",
    seeds: ["https://a.example/", "https://b.example/"],
    scope: "prefix",
    include: ["/en/**"],
    exclude: ["*.pdf"],
    limits: { pages: 500, depth: 0, minutes: 30 },
    rendering: "browser",
    politeness: { concurrency: 2, delayMs: 0, robots: false },
    login: {
      kind: "form",
      url: "https://a.example/login",
      fields: { user: "me", pass: "${PASS}" },
      proof: "Out",
    },
    pages: { topic: "news", language: "de" },
    sitemaps: ["https://a.example/map.xml"],
    feeds: ["https://a.example/feed.xml"],
    removal: { maxShare: 0.5 },
    webhooks: [{ url: "https://example.com/hook" }],
    schedule: { cron: "0 3 * * *", timeZone: "Europe/Paris", jitterMinutes: 5 },
  },
  { name: "x", seeds: ["x"], login: { kind: "headers", headers: { Authorization: "Bearer ${TOKEN}" } } },
  { name: "x", seeds: ["x"], login: { kind: "cookies", cookies: { sid: "file:/run/sid" } } },
  { name: "x", seeds: ["x"], login: { kind: "basic", user: "me", password: "${PASS}" } },
])("a source passes through its form unchanged, including what the form does not show: $name", (source) => {
  expect(sourceOf(draftOf(source))).toEqual(source)
})

test("emptied fields are dropped, invalid numbers stay for the error message, and lines become lists", () => {
  const draft = draftOf({
    name: "x",
    seeds: ["a"],
    limits: { pages: 5 },
    exclude: ["b"],
    schedule: "0 3 * * *",
  })
  expect(draft).toMatchObject({ when: "cron", cron: "0 3 * * *" })
  expect(sourceOf({ ...draft, pages: "", exclude: " \n", when: "by-hand" })).toEqual({
    name: "x",
    seeds: ["a"],
  })
  expect(sourceOf({ ...EMPTY, seeds: " a \n\n b", pages: "many", everyHours: "often" })).toEqual({
    name: "",
    seeds: ["a", "b"],
    limits: { pages: "many" },
    schedule: { everyHours: "often" },
  })
})
