import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { EmbeddedEngine } from "../../adapters/embedded/embedded-engine.ts"
import type { Engine, Query } from "../../engine.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { aPage, rareWord } from "../../testing/pages.ts"
import { amongOthers, isUnreadBy, noticeOf } from "./language-notice.ts"

const GERMAN = "wie wird die Pumpe entlüftet und befüllt?"
const GREEK = "πώς γεμίζει η αντλία;"
const ENGLISH = "how is the pump primed?"

/** Ids of embedders: two named like the models that ship with Fossick, and another one. */
const NAMED = { english: "all-MiniLM-L6-v2:test", multilingual: "multilingual-e5-small:test", other: "mine" }

/** An index of English pages, plus this many German ones in a separate source. */
async function indexOf(embedder: string, english: number, german: number) {
  const dir = await mkdtemp(join(tmpdir(), "fossick-notice-"))
  const engine = await EmbeddedEngine.open({ dir, mode: "write", embedder: new HashingEmbedder(embedder) })
  const pages = (count: number, language: string, title: string) =>
    Array.from({ length: count }, (_, i) =>
      aPage(`${language}/${i}`, {
        title,
        markdown: `${title} ${rareWord(i)}`,
        language,
        source: i < 2 ? `few-${language}` : language,
      }),
    )
  await engine.index([...pages(english, "en", "Priming the pump"), ...pages(german, "de", "Ventile")])
  await engine.settled()
  const close = async () => {
    await engine[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  }
  return { engine, close }
}

const noticed = async (engine: Engine, text: string, query: Partial<Query> = {}) =>
  (await engine.search({ text, limit: 5, ...query })).languageNotice

describe("for an English index", () => {
  let index: Awaited<ReturnType<typeof indexOf>>
  beforeAll(async () => {
    index = await indexOf(NAMED.english, 12, 0)
  })
  afterAll(() => index.close())

  test.each([
    [GERMAN, ["de"]],
    [GREEK, ["el"]],
    ["ポンプの掃除", ["ja"]],
    ["как заполняют насос", expect.arrayContaining(["ru", "uk"])],
  ])(
    "a question in another language gives a notice, with the model that reads it: %s",
    async (question, languages) => {
      expect(await noticed(index.engine, question)).toEqual({
        languages,
        isScarce: true,
        betterModel: "multilingual",
      })
    },
  )

  test.each([ENGLISH, "pump", "Museo del Prado de Madrid", "los angeles de charlie", "die hard", "5432"])(
    "an English question, or one made of names, gives none: %s",
    async (question) => {
      expect(await noticed(index.engine, question)).toBeUndefined()
    },
  )

  test("a search by words alone needs no other model", async () => {
    expect(await noticed(index.engine, GERMAN, { depth: "fast" })).toEqual({
      languages: ["de"],
      isScarce: true,
    })
  })

  test("no model is named for a script that neither shipped model reads", async () => {
    expect(await noticed(index.engine, "ปั๊มน้ำทำงานอย่างไร")).toEqual({ languages: ["th"], isScarce: true })
  })

  test("a caller who specifies languages gets none", async () => {
    expect(await noticed(index.engine, GERMAN, { filter: { languages: ["en"] } })).toBeUndefined()
    expect(await noticed(index.engine, GERMAN, { preference: { languages: ["de"] } })).toBeUndefined()
  })
})

test("only another model is suggested when pages are in the question's language, but the model does not read it", async () => {
  const { engine, close } = await indexOf(NAMED.english, 2, 10)
  expect(await noticed(engine, GERMAN)).toEqual({
    languages: ["de"],
    isScarce: false,
    betterModel: "multilingual",
  })
  await close()
})

test("another model is suggested for an English question too, when pages are in other languages", async () => {
  const { engine, close } = await indexOf(NAMED.english, 0, 10)
  expect(await noticed(engine, ENGLISH)).toEqual({
    languages: ["en"],
    isScarce: true,
    betterModel: "multilingual",
  })
  await close()
})

test.each(["multilingual", "other"] as const)(
  "the %s model is trusted to read the question",
  async (model) => {
    const { engine, close } = await indexOf(NAMED[model], 4, 0)
    expect(await noticed(engine, GERMAN)).toEqual({ languages: ["de"], isScarce: true })
    await close()
  },
)

test("only pages that match the filter count", async () => {
  const { engine, close } = await indexOf(NAMED.multilingual, 60, 40)
  expect(await noticed(engine, "wie ist das Ventil und warum?")).toBeUndefined()
  expect(await noticed(engine, GERMAN, { filter: { sources: ["en"] } })).toMatchObject({ isScarce: true })
  expect(await noticed(engine, GERMAN, { filter: { sources: ["en", "few-de"] } })).toBeUndefined()
  expect(await noticed(engine, GERMAN, { filter: { sources: ["de"] } })).toBeUndefined()
  expect(await noticed(engine, GERMAN, { filter: { sources: ["nowhere"] } })).toBeUndefined()
  await close()
})

test("pages in an unknown language may be in any", async () => {
  const { engine, close } = await indexOf(NAMED.multilingual, 0, 0)
  await engine.index([
    aPage("a", { title: "Pumpe", markdown: "Pumpe befüllt", language: null }),
    aPage("b", { title: "Valve", markdown: "valve", language: "en" }),
  ])
  expect(await noticed(engine, GERMAN)).toBeUndefined()
  await close()
})

test("a page in the language may come from another index", () => {
  const notice = { languages: ["de"], isScarce: true }
  expect(amongOthers(notice, [{ language: "en" }])).toEqual(notice)
  expect(amongOthers(notice, [{ language: "en" }, { language: "de" }])).toBeNull()
  expect(amongOthers({ ...notice, betterModel: "multilingual" }, [{ language: "de" }])).toEqual({
    languages: ["de"],
    isScarce: false,
    betterModel: "multilingual",
  })
  expect(noticeOf({ languages: ["de"], isScarce: false })).toBeNull()
})

test.each([
  ["english", GERMAN, true],
  ["english", GREEK, true],
  ["english", ENGLISH, false],
  ["english", "Pumpe", false],
  ["multilingual", GERMAN, false],
  ["multilingual", "ปั๊มน้ำทำงานอย่างไร", false],
] as const)("the %s model does not read what the multilingual one reads: %s", (model, question, expected) => {
  expect(isUnreadBy({ id: NAMED[model], traits: { scripts: null } }, question)).toBe(expected)
})
