import { execFileSync } from "node:child_process"
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import type { PageUrl } from "#engine"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { FolderContent } from "./folder-content.ts"

const ADDRESS = "https://nas.example/docs/"
const at = (path: string) => `${ADDRESS}${path}` as PageUrl
const ALL = { maxBytes: 1_000_000 }

/** A folder with a file in it. */
function aFolder(name: string, text: string) {
  const folder = temporaryFolder()
  const root = join(folder.path, "root")
  mkdirSync(root)
  writeFileSync(join(root, name), text)
  return { root, content: new FolderContent(root, ADDRESS), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test("any file name has an address that leads back to it alone", () => {
  const content = new FolderContent("/srv/docs", ADDRESS)
  const name = fc
    .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
    .filter((one) => one.isWellFormed() && !/[/\0]/.test(one) && one !== "." && one !== "..")
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const url = content.addressOf(names)!
      expect(url.startsWith(ADDRESS)).toBe(true)
      expect(content.pathOf(url)).toBe(`/srv/docs/${names.join("/")}`)
    }),
    madeUp(500),
  )
  const others = ["", "a//b", "%2e%2e/a", "..%2fa", "a%2fb", "a%00b", "a?b", "a#b", "%ff"]
  expect(others.map((path) => content.pathOf(ADDRESS + path))).toEqual(others.map(() => null))
  expect(content.pathOf("https://nas.example/other/a.md")).toBe(null)
})

test("an unchanged file is not read, and one replaced by an older copy is", async () => {
  using folder = aFolder("a.md", "Hello")
  const { content, root } = folder
  const first = await content.load(at("a.md"), ALL)
  if (first.kind !== "fetched") throw new Error(first.kind)
  expect(Buffer.from(first.body).toString()).toBe("Hello")
  const validators = { etag: first.headers.etag!, lastModified: null }
  expect(await content.load(at("a.md"), { ...ALL, validators })).toMatchObject({ kind: "not-modified" })

  // A file system's clock ticks only every few milliseconds.
  await setTimeout(20)
  writeFileSync(join(root, "older.md"), "Jelly")
  utimesSync(join(root, "older.md"), 1, 1)
  renameSync(join(root, "older.md"), join(root, "a.md"))
  expect(await content.load(at("a.md"), { ...ALL, validators })).toMatchObject({ kind: "fetched" })
})

test("anything that is not a file, is too large or lies outside the folder is not read", async () => {
  using folder = aFolder("large.md", "x".repeat(11))
  const { content, root } = folder
  execFileSync("mkfifo", [join(root, "pipe.md")])
  mkdirSync(join(root, "folder.md"))
  symlinkSync("/etc", join(root, "etc"))
  symlinkSync("/etc/passwd", join(root, "passwd.md"))
  const ends = ["large.md", "pipe.md", "folder.md", "etc/passwd", "passwd.md", "nothing.md"].map(
    async (path) => {
      const result = await content.load(at(path), { maxBytes: 10 })
      return [path, result.kind === "skipped" ? result.because : result.kind]
    },
  )
  expect(await Promise.all(ends)).toEqual([
    ["large.md", "too-large"],
    ["pipe.md", "gone"],
    ["folder.md", "gone"],
    ["etc/passwd", "gone"],
    ["passwd.md", "gone"],
    ["nothing.md", "gone"],
  ])
})

test("no page is removed while the folder itself is missing", async () => {
  using folder = aFolder("a.md", "Hello")
  const { content, root } = folder
  const before = await content.fingerprint()
  renameSync(root, `${root}.away`)
  expect(await content.load(at("a.md"), ALL)).toMatchObject({
    kind: "failed",
    because: "refused",
    transient: true,
  })
  expect(await content.fingerprint()).toContain("cannot be read")
  mkdirSync(root)
  expect(await content.load(at("a.md"), ALL)).toMatchObject({ kind: "failed", because: "refused" })
  expect(await content.fingerprint()).toContain("is empty")
  renameSync(`${root}.away`, `${root}.back`)
  expect(await new FolderContent(`${root}.back`, ADDRESS).fingerprint()).toBe(before)
})

test("a fingerprint changes with every change, and otherwise stays the same", async () => {
  using folder = aFolder("a.md", "Hello")
  const { content, root } = folder
  const seen = [await content.fingerprint()]
  expect(await content.fingerprint()).toBe(seen[0])
  for (const change of [
    () => writeFileSync(join(root, "a.md"), "Jello"),
    () => writeFileSync(join(root, "b.md"), "New"),
    () => mkdirSync(join(root, "sub")),
    () => renameSync(join(root, "b.md"), join(root, "sub/b.md")),
  ]) {
    // A file system's clock ticks only every few milliseconds, and two edits in one tick have the same time.
    await setTimeout(20)
    change()
    seen.push(await content.fingerprint())
  }
  // Creating an empty folder is not a change.
  expect(new Set(seen).size).toBe(4)
})
