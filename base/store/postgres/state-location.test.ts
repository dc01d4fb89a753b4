import { writeFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { SettingsError } from "../../settings.ts"
import { serverLocation, stateServer, stateSettings, withPassword } from "./state-location.ts"

const parse = (value: string) => stateSettings.state.parse(value)

test("the state is in its folder, or on a server whose address has no password", () => {
  for (const address of [
    "",
    "postgres://fossick@db/fossick",
    "postgresql://db:5433/fossick?schema=_a1&sslmode=require",
    `postgres://db/fossick?schema=${"a".repeat(41)}`,
  ])
    expect(parse(address)).toBe(address)
  for (const address of ["db", "mysql://db/fossick", "xpostgres://db/fossick", "postgresx://db/fossick"])
    expect(() => parse(address)).toThrow("must be empty or an address such as postgres://user@host/database")
  expect(() => parse("postgres://me:secret@db/fossick")).toThrow(
    "must not contain a password; set it in FOSSICK_STATE_PASSWORD",
  )
  for (const schema of ["", "A", "1a", "a-b", "-a", "a".repeat(42)])
    expect(() => parse(`postgres://db/fossick?schema=${schema}`)).toThrow(
      "must name a schema of at most 41 lowercase letters, digits and _",
    )
})

test("errors in an address are reported without the address, and a password is never shown", () => {
  let said: unknown
  try {
    stateServer("/data", { FOSSICK_STATE: "postgres://me:hunter2@db/fossick" })
  } catch (error) {
    said = error
  }
  expect(said).toBeInstanceOf(SettingsError)
  expect(String(said)).toContain("FOSSICK_STATE")
  expect(String(said)).not.toContain("hunter2")
  expect([stateSettings.state.secret, stateSettings.statePassword.secret]).toEqual([true, true])
})

test("a state has a schema by its name, its folder, or the default one", () => {
  expect(stateServer("/data", {})).toBeNull()
  const of = (query: string, folder = "/data") => serverLocation(`postgres://me@db/x${query}`, "", folder, {})
  expect(stateServer("/data", { FOSSICK_STATE: "postgres://me@db/x" })).toEqual(of(""))
  expect(of("")).toEqual({ url: "postgres://me@db/x", password: "", schema: "fossick" })
  expect(of("?schema=mine&sslmode=require")).toEqual({
    url: "postgres://me@db/x?sslmode=require",
    password: "",
    schema: "mine",
  })
  const { schema } = of("?schema=folder")
  expect(schema).toMatch(/^folder_[0-9a-f]{20}$/)
  expect(of("?schema=folder", "/data/../data/").schema).toBe(schema)
  expect(of("?schema=folder", "/other").schema).not.toBe(schema)
})

test("the password is added to the address from where it is stored", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "password"), "p@ss\n")
  const FOSSICK_STATE = "postgres://me@db/x"
  const found = stateServer("/data", {
    FOSSICK_STATE,
    FOSSICK_STATE_PASSWORD: `file:${join(folder, "password")}`,
  })!
  expect(found.password).toBe("p@ss")
  expect(withPassword(found)).toBe("postgres://me:p%40ss@db/x")
  expect(withPassword({ ...found, password: "" })).toBe(FOSSICK_STATE)
  expect(() => stateServer("/data", { FOSSICK_STATE, FOSSICK_STATE_PASSWORD: "${DB_PASSWORD}" })).toThrow(
    "the secret ${DB_PASSWORD} is not set in the environment",
  )
})
