import { expect, test } from "vitest"

import { fieldChanges } from "./field-changes.ts"

test("only changed fields are recorded", () => {
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

test("secrets are hidden by name and format, but names of secrets are not", () => {
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

test("long values are shortened, and many fields are only counted", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, "long ".repeat(1000)]))
  const changes = fieldChanges(null, many)
  expect(changes.at(-1)!.field).toBe("and 30 more")
  expect(JSON.stringify(changes).length).toBeLessThan(6000)
})

/** How the value of one field is shown. */
const shown = (field: string, value: unknown): string | null =>
  fieldChanges(null, { [field]: value })[0]!.after

test.each([
  "api_key",
  "apikey",
  "key",
  "password",
  "passphrase",
  "client-secret",
  "token",
  "token_value",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "header",
  "headers.x",
  "private_key",
  "privatekey",
  "Authorization",
])("%s is treated as a secret", (field) => {
  expect(shown(field, "mark")).toBe("(hidden)")
})

test.each(["keys", "keyboard", "monkey", "tokens", "secretary"])("%s is not treated as a secret", (field) => {
  expect(shown(field, "mark")).toBe('"mark"')
})

test("a value that cannot be a secret is shown, and so is one that only looks like a secret", () => {
  for (const value of [null, true, false, 12, [], ""])
    expect(shown("password", value)).toBe(JSON.stringify(value))
  for (const value of [1.5, -5, "12", [1], "null"]) expect(shown("password", value)).toBe("(hidden)")
  for (const value of ["${TOKEN}", "Bearer ${TOKEN}", "file:/run/secrets/site"])
    expect(shown("password", value)).toBe(JSON.stringify(value))
  for (const value of ['mark "${TOKEN}', 'file:a" mark', "x ${A} y", "Bearer mark"])
    expect(shown("password", value)).toBe("(hidden)")
})

test("credentials are hidden inside lists and addresses, and only there", () => {
  for (const name of ["user_password_old", "secret", "my-token", "authorization"])
    expect(shown("logins", [{ [name]: "mark" }])).toBe("(hidden)")
  expect(shown("logins", [{ user: "ada" }])).toBe('[{"user":"ada"}]')
  expect(shown("url", "https://h/?a=1&token_id=mark&my-sig=mark&b=2#c")).toBe(
    '"https://h/?a=1&token_id=…&my-sig=…&b=2#c"',
  )
  expect(shown("url", "https://h/code=open?a=b")).toBe('"https://h/code=open?a=b"')
})

test("names and values are cut to their limits, and deeply nested data counts as one value", () => {
  const value = (chars: number) => "x".repeat(chars - 2)
  expect(shown("a", value(160))).toBe(`"${value(160)}"`)
  expect(shown("a", value(161))).toBe(`"${"x".repeat(158)}…`)
  expect(fieldChanges(null, { ["f".repeat(161)]: 1 })[0]!.field).toBe("f".repeat(160))
  const deep = (inner: unknown) => ({ a: { b: { c: { d: { e: { f: inner } } } } } })
  expect(fieldChanges(deep({ g: { h: 1 } }), null)).toEqual([
    { field: "a.b.c.d.e.f.g", before: '{"h":1}', after: null },
  ])
})

test("values that JSON cannot represent become empty, and missing ones are recorded as missing", () => {
  expect(fieldChanges({ a: undefined }, { b: Symbol("x"), at: new Date(0) })).toEqual([
    { field: "b", before: null, after: "" },
    { field: "at", before: null, after: '"1970-01-01T00:00:00.000Z"' },
  ])
})
