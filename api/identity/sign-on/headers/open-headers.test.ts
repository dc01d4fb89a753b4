import { expect, test } from "vitest"
import { SettingsError } from "#base/settings.ts"
import { parseSignOn } from "../file/sign-on-file.ts"
import type { Carried } from "../provider.ts"
import type { HeadersSpec } from "./spec.ts"
import { openHeaders } from "./open-headers.ts"

const declared = (fields: object) => {
  const providers = [{ name: "proxy", kind: "headers", addresses: ["10.0.0.0/24", "fd00::1"], ...fields }]
  const spec = parseSignOn(
    JSON.stringify({ providers, roles: [{ signedIn: true, role: "reader" }] }),
    "test",
    {},
  )
  return spec!.providers[0]!
}
const reader = (fields: object = {}) => {
  const { own, ...common } = declared(fields)
  const proxy = openHeaders({ ...common, own: own as HeadersSpec })
  return (rawHeaders: Carried["rawHeaders"], peer = "10.0.0.7") => proxy.recognise!({ peer, rawHeaders })
}
const HEADERS = [
  "Host",
  "x",
  "remote-user",
  "anna",
  "Remote-Groups",
  "staff, hr,",
  "Remote-Email",
  "a@example.com",
]

test("a proxy names the user and their groups", () => {
  expect(reader()(HEADERS)).toEqual({
    subject: "anna",
    user: "anna",
    name: "",
    email: "a@example.com",
    groups: ["staff", "hr"],
    providerSession: null,
    refresh: null,
    signOutHint: null,
  })
  expect(reader()(HEADERS, "::ffff:10.0.0.7")).not.toBeNull()
  expect(reader()(HEADERS, "fd00::1")).not.toBeNull()
})

test("the same headers from any other address are ignored, whatever else the request claims", () => {
  const forwarded = [...HEADERS, "X-Forwarded-For", "10.0.0.7", "Forwarded", "for=10.0.0.7"]
  for (const peer of ["10.0.1.7", "127.0.0.1", "::ffff:10.0.1.7", "fd00::2", ""])
    expect(reader()(forwarded, peer)).toBeNull()
})

test("a request that the proxy lets through without a user has no person", () => {
  expect(reader()(["Host", "x"])).toBeNull()
  expect(reader()(["Remote-User", " ", "Remote-Groups", "admins"])).toBeNull()
})

test.each([
  ["user", ["Remote-User", "admin", "Remote-User", "anna"]],
  ["groups", ["Remote-User", "anna", "remote-groups", "admins", "Remote-Groups", "staff"]],
  ["groups of nobody", ["Remote-Groups", "admins", "Remote-Groups", ""]],
])("rejects two headers with the %s, since one may be forged", (_what, headers) => {
  expect(() => reader()(headers)).toThrow("can't be used")
})

test("accepts only UTF-8 names", () => {
  const sent = Buffer.from("Åsa Öst").toString("latin1")
  expect(reader()(["Remote-User", "asa", "Remote-Name", sent])?.name).toBe("Åsa Öst")
  expect(() => reader()(["Remote-User", "\xc5sa"])).toThrow("can't be used")
})

test("uses the headers and separator of the operator's proxy", () => {
  const read = reader({
    userHeader: "X-authentik-username",
    groupsHeader: "X-authentik-groups",
    groupsSeparator: "|",
  })
  const headers = ["x-authentik-username", "anna", "X-Authentik-Groups", "staff|a, b"]
  expect(read([...headers, "Remote-User", "admin"])).toMatchObject({
    user: "anna",
    groups: ["staff", "a, b"],
  })
})

test.each([
  [undefined, "lacks addresses"],
  [[], "must NOT have fewer than 1 items"],
  [["proxy.example"], "must be IP addresses or ranges"],
  [["0.0.0.0/0"], "anyone could sign in as anyone"],
  [["::/0"], "anyone could sign in as anyone"],
])("refuses to start without suitable addresses: %j", (addresses, why) => {
  expect(() => declared({ addresses })).toThrow(SettingsError)
  expect(() => declared({ addresses })).toThrow(why)
})
