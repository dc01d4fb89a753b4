import { describe, expect, it } from "vitest"
import type { Login } from "../source.ts"
import { checkSecret, loginProblems, resolveValue } from "./secrets.ts"

const paths = (login: Login) => loginProblems(login).map(({ path }) => path.join("."))
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
  ])("%j has problems with %j", (login, problems) => {
    expect(paths(login)).toEqual(problems)
  })

  it("is told what to write instead, without what was written", () => {
    expect(checkSecret("letmein")).not.toContain("letmein")
    expect(checkSecret("${NAME}")).toBeNull()
  })

  it("has its secrets put in where they are used", () => {
    const env = { T: "abc" }
    expect(resolveValue("Bearer ${T}", env)).toBe("Bearer abc")
    expect(resolveValue("plain $text {T}", env)).toBe("plain $text {T}")
    expect(() => resolveValue("${U}", env)).toThrow("${U}")
  })
})
