import { appendFileSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { Journal } from "./journal.ts"

const files = (dir: string) => readdirSync(dir).filter((name) => name.endsWith(".jsonl"))

test("entries outlive their process, with their order and positions", async () => {
  using folder = temporaryFolder()
  const [first] = Journal.open(folder.path)
  expect(files(folder.path)).toEqual([])
  expect(await Promise.all([first.append({ n: 0 }), first.append({ n: 1 })])).toEqual([0, 1])
  expect(await first.append({ n: 2 })).toBe(2)
  const { id } = first
  await first[Symbol.asyncDispose]()

  const [second, ...others] = Journal.open(folder.path)
  expect([second.id, second.left, others]).toEqual([id, [{ n: 0 }, { n: 1 }, { n: 2 }], []])
  expect(await second.append({ n: 3 })).toBe(3)
  await second[Symbol.asyncDispose]()
  const [third] = Journal.open(folder.path)
  expect(third.left).toHaveLength(4)
  await third[Symbol.asyncDispose]()
})

test("an entry that was written only in part is ignored, and overwritten by the next one", async () => {
  using folder = temporaryFolder()
  const [first] = Journal.open(folder.path)
  await first.append({ n: "é" })
  await first[Symbol.asyncDispose]()
  const file = join(folder.path, files(folder.path)[0]!)
  appendFileSync(file, '{"n":1')

  const [second] = Journal.open(folder.path)
  expect(second.left).toEqual([{ n: "é" }])
  expect(await second.append({ n: 2 })).toBe(1)
  await second[Symbol.asyncDispose]()
  const [third] = Journal.open(folder.path)
  expect(third.left).toEqual([{ n: "é" }, { n: 2 }])
  await third[Symbol.asyncDispose]()

  // Even the line with the journal's id is incomplete.
  writeFileSync(file, '{"jour')
  const [fourth] = Journal.open(folder.path)
  expect(fourth.left).toEqual([])
  expect(await fourth.append({ n: 3 })).toBe(0)
  await fourth[Symbol.asyncDispose]()
  const [fifth] = Journal.open(folder.path)
  expect(fifth.left).toEqual([{ n: 3 }])
  await fifth[Symbol.asyncDispose]()
})

test("a journal is removed once its last entry is handled, and the next entry begins a new journal", async () => {
  using folder = temporaryFolder()
  const [journal] = Journal.open(folder.path)
  const { id } = journal
  await journal.append({})
  await journal.append({})
  expect([await journal.clear(1), files(folder.path)]).toEqual([false, ["uncounted-1.jsonl"]])
  expect([await journal.clear(2), files(folder.path)]).toEqual([true, []])
  expect(journal.id).not.toBe(id)
  expect(await journal.append({})).toBe(0)
  await journal[Symbol.asyncDispose]()
})

test("each process on a folder has its own journal, and opens those that ended processes left", async () => {
  using folder = temporaryFolder()
  const [one] = Journal.open(folder.path)
  const [two] = Journal.open(folder.path)
  await one.append({ of: "one" })
  await two.append({ of: "two" })
  expect(files(folder.path)).toEqual(["uncounted-1.jsonl", "uncounted-2.jsonl"])
  await two[Symbol.asyncDispose]()
  // The first process is still running.
  const [three, ...none] = Journal.open(folder.path)
  expect([three.left, none]).toEqual([[{ of: "two" }], []])
  await three[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
  const [own, ...others] = Journal.open(folder.path)
  expect([own.left, others.map(({ left }) => left)]).toEqual([[{ of: "one" }], [[{ of: "two" }]]])
  for (const journal of [own, ...others]) await journal[Symbol.asyncDispose]()
})

test(
  "appending fails while the file cannot be written to, and works again afterwards",
  { tags: ["posix"] },
  async () => {
    using folder = temporaryFolder()
    const [journal] = Journal.open(folder.path)
    const file = join(folder.path, "uncounted-1.jsonl")
    // A dangling link stands in for a disk that cannot be written to.
    const { symlinkSync, unlinkSync } = await import("node:fs")
    symlinkSync(join(folder.path, "nowhere", "file"), file)
    await expect(journal.append({ n: 0 })).rejects.toThrow("ENOENT")
    unlinkSync(file)
    expect(await journal.append({ n: 1 })).toBe(0)
    expect(statSync(file).mode & 0o077).toBe(0)
    await journal[Symbol.asyncDispose]()
  },
)
