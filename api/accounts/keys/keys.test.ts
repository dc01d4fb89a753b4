import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"

import { openKeyStore } from "./keys.ts"

describe("keys", () => {
  let dir: string
  let db: StateStore

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-keys-"))
    db = openStateStore(dir)
  })
  afterEach(async () => {
    db.close()
    await rm(dir, { recursive: true })
  })

  test("are known by their text, with the role they were made for", () => {
    const keys = openKeyStore(db, "")
    expect(keys.any()).toBe(false)
    const [admin, search] = [keys.create({ role: "admin" }), keys.create({ role: "search" })]
    expect(keys.verify(admin)).toMatchObject({ id: expect.any(String), role: "admin" })
    expect(keys.verify(search)).toMatchObject({ id: expect.any(String), role: "search" })
    expect(keys.verify(`${admin}x`)).toBeNull()
    expect(keys.any()).toBe(true)
  })

  test("are listed without their text, and refused once disabled", () => {
    const keys = openKeyStore(db, "")
    const text = keys.create({ role: "search", name: "chat" })
    const [key] = keys.list()
    expect(key).toMatchObject({ role: "search", name: "chat", disabledAt: null })
    expect(JSON.stringify(key)).not.toContain(text.slice(4, -4))
    expect(keys.disable("nobody")).toBe(false)
    expect(keys.disable(key!.id)).toBe(true)
    expect(keys.verify(text)).toBeNull()
    expect(keys.any()).toBe(false)
    expect(keys.list()[0]!.disabledAt).toBeInstanceOf(Date)
  })

  test("the operator's own is admin, and nothing of it is stored", () => {
    const keys = openKeyStore(db, "chosen")
    expect(keys.verify("chosen")).toMatchObject({ id: "operator", role: "admin" })
    expect(openKeyStore(db, "").verify("chosen")).toBeNull()
  })

  test("made before there were roles are admin", () => {
    db.exec(
      `create table api_keys (
         id text primary key, digest blob not null unique, created_at text not null
       ) strict;
       insert into api_keys values
         ('first', x'2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b', '2026-01-01');
       insert into schema_version values ('keys', 1)`,
    )
    expect(openKeyStore(db, "").verify("secret")).toMatchObject({
      id: "first",
      role: "admin",
      mayMakeKeys: true,
    })
  })
})
