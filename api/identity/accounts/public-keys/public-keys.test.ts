import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"

import { asApiKey, isPublicText, type PublicKeySpec } from "./public-key.ts"
import { MOST_PUBLIC_KEYS, PublicKeyStore } from "./public-key-store.ts"
import { isOrigin, readPublicKey, type WrittenPublicKey } from "./read-spec.ts"

const SPEC: PublicKeySpec = {
  name: "handbook",
  source: "docs",
  collection: null,
  origins: ["https://docs.example"],
  answers: true,
  rateLimits: { search: { calls: 3, seconds: 60 } },
  credits: 100,
}

describe("a public key", () => {
  let dir: string
  let db: StateStore
  let keys: PublicKeyStore
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "fossick-public-keys-"))
    db = await openStateStore(dir)
    keys = new PublicKeyStore(db)
  })
  afterEach(() => {
    db.close()
    rmSync(dir, { recursive: true })
  })

  test("keeps its changes while it is enabled", async () => {
    const { id } = await keys.create(SPEC)
    await keys.disable(id)
    await Promise.all([keys.enable(id), keys.change(id, { ...SPEC, name: "new" }, true)])
    expect((await keys.get(id))?.name).toBe("new")
  })

  test("is stored as created, and can only search its source", async () => {
    const key = await keys.create(SPEC)
    expect(key.text).toMatch(/^fsk-pub-[\w-]{24}$/)
    expect(isPublicText(key.text)).toBe(true)
    expect([isPublicText("fsk-dev-abc"), isPublicText(`x${key.text}`)]).toEqual([false, false])
    expect(key).toMatchObject({ ...SPEC, disabledAt: null, createdAt: expect.any(Date) })
    expect([await keys.verify(key.text), await keys.get(key.id), await keys.list()]).toEqual([
      key,
      key,
      [key],
    ])
    expect([await keys.verify(`${key.text}x`), await keys.get("nobody")]).toEqual([null, null])
    expect(asApiKey(key)).toMatchObject({
      id: key.id,
      role: "search",
      hint: key.text.slice(-4),
      scope: { endpoints: ["search"], sources: ["docs"], collections: null, domains: null },
      creditLimit: { credits: 100, per: "month" },
      mayMakeKeys: false,
      mayEndItself: false,
    })
    expect(asApiKey({ ...key, source: null, collection: "all", credits: null })).toMatchObject({
      scope: { sources: [], collections: ["all"] },
      creditLimit: null,
    })
    // A key that loses both its source and its collection sees nothing.
    expect(asApiKey({ ...key, source: null }).scope).toMatchObject({ sources: [], collections: null })
  })

  test("keeps its text when its settings change", async () => {
    const { id, text } = await keys.create(SPEC)
    const changed = await keys.change(id, { ...SPEC, source: null, collection: "all", origins: [] }, false)
    expect(changed).toMatchObject({
      id,
      text,
      source: null,
      collection: "all",
      origins: [],
      disabledAt: null,
    })
    expect(await keys.change("nobody", SPEC, false)).toBeNull()
  })

  test("is rejected while disabled, and accepts only pages from its origins", async () => {
    const { id, text } = await keys.create(SPEC)
    const other = await keys.create({ ...SPEC, origins: ["https://a.example", "https://b.example"] })
    const admitted = (...origins: string[]) => Promise.all(origins.map((origin) => keys.admits(origin)))
    expect(await admitted("https://docs.example", "https://b.example", "https://c.example")).toEqual([
      true,
      true,
      false,
    ])
    expect([await keys.disable(id), await keys.disable("nobody")]).toEqual([true, false])
    const since = (await keys.get(id))!.disabledAt
    expect(since).toBeInstanceOf(Date)
    expect(await keys.verify(text)).toBeNull()
    expect(await admitted("https://docs.example", "https://b.example")).toEqual([false, true])
    await keys.change(id, SPEC, true)
    expect((await keys.get(id))!.disabledAt).toEqual(since)
    await keys.change(id, SPEC, false)
    expect((await keys.verify(text))?.disabledAt).toBeNull()
    expect([await keys.delete(id), await keys.delete(id)]).toEqual([true, false])
    expect((await keys.list()).map((key) => key.id)).toEqual([other.id])
  })

  test("is one of at most five hundred", async () => {
    for (let at = 0; at < MOST_PUBLIC_KEYS - 1; at++) await keys.create(SPEC)
    expect(await keys.hasRoom()).toBe(true)
    await keys.create(SPEC)
    expect(await keys.hasRoom()).toBe(false)
  })
})

describe("the specification of a public key", () => {
  const known = {
    unknownSource: async ([name]: readonly string[]) =>
      name === "docs" ? null : `There is no source "${name}"; did you mean "docs"?`,
    unknownCollection: async ([name]: readonly string[]) =>
      name === "all" ? null : `There is no collection "${name}"`,
  }
  const read = (more: Partial<WrittenPublicKey>) =>
    readPublicKey({ source: "docs", origins: ["https://docs.example"], ...more }, known)
  const problems = async (more: Partial<WrittenPublicKey>) => {
    const result = await read(more)
    return "problems" in result ? result.problems.map(({ field, message }) => `${field} ${message}`) : []
  }

  test("has no name, answers or limits by default", async () => {
    expect(
      await read({ origins: ["https://a.example", "http://localhost:3000", "https://a.example"] }),
    ).toEqual({
      spec: {
        name: "",
        source: "docs",
        collection: null,
        origins: ["https://a.example", "http://localhost:3000"],
        answers: false,
        rateLimits: null,
        credits: null,
      },
    })
    const all = {
      name: "n",
      source: null,
      collection: "all",
      answers: true,
      rate_limits: "search=1/m",
      credits: 0,
    }
    expect(await read(all)).toEqual({
      spec: {
        name: "n",
        source: null,
        collection: "all",
        origins: ["https://docs.example"],
        answers: true,
        rateLimits: { search: { calls: 1, seconds: 60 } },
        credits: 0,
      },
    })
    expect(await read({ rate_limits: "  " })).toMatchObject({ spec: { rateLimits: null } })
    const origins = Array.from({ length: 50 }, (_, at) => `https://a${at}.example`)
    expect(await problems({ name: "é".repeat(100), credits: 1_000_000_000, origins })).toEqual([])
  })

  const REACH = "source or collection must be given, but not both: a public key finds pages of one of them"
  const ORIGINS =
    "origins must be origins such as https://docs.example.com, with a scheme, but without a path, a trailing slash or wildcards"
  const CREDITS = "credits must be a whole number from 0 to 1000000000"
  test.each<[Partial<WrittenPublicKey>, string[]]>([
    [{ name: "é".repeat(101) }, ["name must have at most 100 characters"]],
    [{ source: null }, [REACH]],
    [{ collection: "all" }, [REACH]],
    [{ source: "dcos" }, ['source is unknown: there is no source "dcos"; did you mean "docs"?']],
    [{ source: null, collection: "al" }, ['collection is unknown: there is no collection "al"']],
    [{ origins: [] }, ["origins must have 1 to 50 entries"]],
    [
      { origins: Array.from({ length: 51 }, (_, at) => `https://a${at}.example`) },
      ["origins must have 1 to 50 entries"],
    ],
    [{ origins: ["https://docs.example", "https://docs.example/"] }, [ORIGINS]],
    [{ credits: -1 }, [CREDITS]],
    [{ credits: 1.5 }, [CREDITS]],
    [{ credits: 1_000_000_001 }, [CREDITS]],
    [{ rate_limits: "find=1/m" }, [expect.stringMatching(/^rate_limits must be a list such as/)]],
    [{ origins: [], credits: -1 }, ["origins must have 1 to 50 entries", CREDITS]],
  ])("%j is rejected, field by field: %j", async (written, wrong) => {
    expect(await problems(written)).toEqual(wrong)
  })

  test.each([
    ["https://docs.example", true],
    ["http://localhost:3000", true],
    ["http://[::1]:8080", true],
    ["https://docs.example:443", false],
    ["https://docs.example/", false],
    ["https://Docs.example", false],
    ["https://*.example", false],
    ["https://docs.*", false],
    ["https://docs.example:99999", false],
    ["ftp://docs.example", false],
    ["docs.example", false],
    ["null", false],
    ["https://", false],
    [" https://docs.example", false],
    ["https://docs.example ", false],
  ])("%s as an origin of pages: %s", (text, isOne) => {
    expect(isOrigin(text)).toBe(isOne)
  })
})
