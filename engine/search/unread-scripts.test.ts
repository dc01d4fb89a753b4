import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { PageStore } from "#engine/adapters/embedded/files/page-store.ts"
import { type Engine, openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

// The English model maps characters it can't read to one unknown token, so all such texts look alike to it.

const CHINESE = [
  ["quota", "磁盘配额", "管理员可以限制每个用户可以使用的磁盘空间。"],
  ["backup", "备份", "定期复制重要的数据，以便恢复丢失的文件。"],
  ["mail", "邮件服务", "邮件服务器接收邮件并把邮件放入信箱。"],
] as const

let dir: string
let embedder: TransformersEmbedder
let engine: Engine

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-unread-"))
  embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
  engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir }), {
    mode: "write",
    embedder,
  })
  await engine.index([
    ...CHINESE.map(([name, title, markdown]) => aPage(name, { title, markdown, language: "zh" })),
    aPage("otters", { title: "Otters", markdown: "Otters hold hands while they sleep.", language: "en" }),
  ])
  await engine.settled()
})

afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await embedder[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

test.each(["basic", "advanced"] as const)(
  "a question in a script that the model cannot read is answered by words alone, with a notice: %s",
  async (depth) => {
    const found = await engine.search({ text: "限制磁盘空间", limit: 4, depth })
    const byWords = await engine.search({ text: "限制磁盘空间", limit: 4, depth: "fast" })
    expect(found.hits.map(({ title }) => title)).toEqual(byWords.hits.map(({ title }) => title))
    expect(found.hits[0]).toMatchObject({ title: "磁盘配额", parts: { vector: 0, late: 0 } })
    expect(found.wordsAlone).toContain("does not read the script of the question")
    expect(byWords.wordsAlone).toBeUndefined()
    const notice = { languages: ["zh", "ja"], isScarce: false, betterModel: "multilingual" }
    expect([found.languageNotice, byWords.languageNotice]).toEqual([notice, undefined])
  },
)

test("pages in such a script are not near a question that the model reads", async () => {
  const { hits, wordsAlone } = await engine.search({ text: "how do animals sleep", limit: 4 })
  expect(hits[0]).toMatchObject({ title: "Otters", parts: { vector: expect.toSatisfy((one) => one > 0.3) } })
  expect(hits.slice(1).every(({ parts }) => parts.vector === 0)).toBe(true)
  expect(wordsAlone).toBeUndefined()
})

test("a question reads a page's ranking data only once", async () => {
  using facts = vi.spyOn(PageStore.prototype, "facts")
  await engine.search({ text: "how do animals sleep", limit: 4 })
  const read = facts.mock.calls.flatMap(([ids]) => [...ids])
  expect(read).toHaveLength(4)
  expect(new Set(read).size).toBe(read.length)
})
