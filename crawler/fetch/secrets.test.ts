import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Login } from "../source.ts"
import {
  checkSecret,
  loginProblems,
  missingSecrets,
  resolveValue,
  resolveValues,
  secretsNamed,
} from "./secrets.ts"

const paths = (login: Login) => loginProblems(login).map(({ path }) => path.join("."))
const messages = (login: Login) => loginProblems(login).map(({ message }) => message)
const form = (fields: Record<string, string>): Login => ({
  kind: "form",
  url: "https://wiki.example/login",
  fields,
  proof: null,
})

describe("a login", () => {
  it.each<[Login, string[]]>([
    [{ kind: "basic", user: "ada", password: "${P}" }, []],
    [{ kind: "basic", user: "ada", password: "letmein" }, ["password"]],
    [{ kind: "headers", headers: { Authorization: "Bearer ${T}", "X-Team": "docs" } }, []],
    [{ kind: "headers", headers: { Authorization: "Bearer abc" } }, ["headers.Authorization"]],
    [{ kind: "headers", headers: { "X-Team": "docs" } }, ["headers"]],
    [{ kind: "headers", headers: { "Content-Length": "${T}" } }, ["headers.Content-Length"]],
    [{ kind: "headers", headers: { "a b": "${T}" } }, ["headers.a b"]],
    [{ kind: "cookies", cookies: { session: "file:/run/secrets/s", lang: "en" } }, []],
    [{ kind: "cookies", cookies: { JSESSIONID: "abc" } }, ["cookies.JSESSIONID"]],
    [form({ user: "ada", password: "${P}" }), []],
    [form({ user: "ada", user_password: "x" }), ["fields.user_password"]],
    [form({ user: "ada" }), ["fields"]],
  ])("%j has the problems %j", (login, problems) => {
    expect(paths(login)).toEqual(problems)
  })

  it("is answered with what to write instead, without repeating the secret", () => {
    expect(checkSecret("letmein")).not.toContain("letmein")
    expect(checkSecret("${NAME}")).toBeNull()
  })

  it("gets a message for each invalid field", () => {
    const named = "${T}"
    expect(messages({ kind: "headers", headers: { "a b": named, Host: named, "X-Own": named } })).toEqual([
      "isn't a valid header name",
      "is a header that Fossick sets itself",
    ])
    expect(messages({ kind: "cookies", cookies: { "a b": named } })).toEqual(["isn't a valid cookie name"])
    expect(messages(form({ user: "ada" }))).toEqual([
      "must have at least one value that names a secret: ${NAME}, or file:/path",
    ])
  })

  it("has its secrets filled in where they are used", () => {
    const env = { T: "abc" }
    expect(resolveValue("Bearer ${T}", env)).toBe("Bearer abc")
    expect(resolveValue("plain $text {T}", env)).toBe("plain $text {T}")
    expect(() => resolveValue("${U}", env)).toThrow("${U}")
  })
})

describe("a source's section", () => {
  const part = {
    login: { headers: { Authorization: "Bearer ${T}", "X-Team": "docs" } },
    webhooks: [{ url: "https://hooks.example/", secret: "${S}" }, { secret: "file:/run/secrets/s" }],
    depth: 3,
    none: null,
    gone: undefined,
  }

  it("lists where its secrets are, and never their values", () => {
    expect(secretsNamed(part)).toEqual([
      { path: ["login", "headers", "Authorization"], from: "${T}" },
      { path: ["webhooks", "0", "secret"], from: "${S}" },
      { path: ["webhooks", "1", "secret"], from: "file:" },
    ])
  })

  it("lists the secrets that cannot be read, by their paths, and never a value", () => {
    const strong = "4f9a8c21d07be36510ab7c9e8d2f6543"
    const missing = missingSecrets(part, { T: "", S: "hunter2hunter2hunter2" })
    expect(missing).toEqual([
      {
        path: ["login", "headers", "Authorization"],
        message: "cannot be used: the secret ${T} is not set in the crawler's environment",
      },
      {
        path: ["webhooks", 0, "secret"],
        message: expect.stringMatching(/^cannot be used: the secret \$\{S\} must be hard to guess/),
      },
      {
        path: ["webhooks", 1, "secret"],
        message: "cannot be used: the secret file:/run/secrets/s cannot be read (ENOENT)",
      },
    ])
    expect(JSON.stringify(missing)).not.toContain("hunter2")
    const { login, webhooks } = part
    expect(missingSecrets({ login, webhooks: webhooks.slice(0, 1) }, { T: "abc", S: strong })).toEqual([])
    // A signing secret must be hard to guess; a value that a site issued is accepted as it is.
    expect(missingSecrets({ login }, { T: "abc" })).toEqual([])
  })

  it("has no secret in an empty file", () => {
    const dir = mkdtempSync(join(tmpdir(), "fossick-secrets-"))
    const file = join(dir, "secret")
    writeFileSync(file, "\n")
    expect(missingSecrets({ login: { password: `file:${file}` } }, {})).toEqual([
      { path: ["login", "password"], message: `cannot be used: the secret file:${file} is empty` },
    ])
    rmSync(dir, { recursive: true })
  })
})

it("values are filled in one by one, each with its prefix", () => {
  expect(
    resolveValues({ a: "Bearer ${T}", b: "${T}", c: "x ${T} y", d: "two words ${T}" }, { T: "abc" }),
  ).toEqual({
    a: "Bearer abc",
    b: "abc",
    c: "x ${T} y",
    d: "two words ${T}",
  })
})

it.each([
  "token",
  "Api-Key",
  "apikey",
  "x-key",
  "PIN",
  "otp",
  "sid",
  "PHPSESSID",
  "Kennwort",
  "Cookie",
  "credentials",
  "pwd",
])("%s is a valid secret name", (name) => {
  expect(paths({ kind: "headers", headers: { [name]: "abc", "X-Own": "${T}" } })).toEqual([`headers.${name}`])
})

it.each(["lang", "team", "keyboard", "spinner", "inside"])("%s is not a valid secret name", (name) => {
  expect(paths({ kind: "headers", headers: { [name]: "abc", "X-Own": "${T}" } })).toEqual([])
})

it.each(["Host", "connection", "Transfer-Encoding", "User-Agent", "accept-encoding", "a:b", "a\nb", ""])(
  "%j is not a header that a login may set",
  (name) => {
    expect(paths({ kind: "headers", headers: { [name]: "${T}" } })).toEqual([`headers.${name}`])
  },
)

it("a cookie must have a name", () => {
  expect(paths({ kind: "cookies", cookies: { "a b": "${T}" } })).toEqual(["cookies.a b"])
})
