import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { temporaryFolder } from "../../../../testing/crawl-fixture.ts"
import { ADDRESS, ALL, AnArchive, madeBy } from "../testing/an-archive.ts"

const whole = gunzipSync(readFileSync(madeBy("lanterns.zim.gz")))

/** A ZIM file of these bytes, as read by a source. */
function aZim(bytes: Buffer) {
  const folder = temporaryFolder()
  const path = join(folder.path, "lanterns.zim")
  writeFileSync(path, bytes)
  const archive = new AnArchive(path)
  const dispose = async () => {
    await archive[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
  return { archive, [Symbol.asyncDispose]: dispose }
}

/** The same bytes, with a few replaced at one position. */
function patched(at: number, ...bytes: readonly number[]): Buffer {
  const copy = Buffer.from(whole)
  copy.set(bytes, at)
  return copy
}

const A_PAGE =
  '<!DOCTYPE html><html lang="en"><head><title>What is it? 100% &amp; more</title></head><body><h1>What is it?</h1><p>A meadow with a bridge, a river and a silver orchard.</p></body></html>\n'

test("a ZIM file yields the pages it was made from, byte for byte, and no redirects, images or style sheets", async () => {
  await using zim = aZim(whole)
  const read = await zim.archive.read()
  expect(Object.keys(read)).toEqual([
    "index.html",
    "notes.txt",
    "sub/a.html",
    "sub/what? 100%.html",
    "sub/zürich.html",
  ])
  expect(read["sub/what? 100%.html"]).toBe(A_PAGE)
  expect(read["notes.txt"]).toBe("Plain text about a valley and a thunderstorm in winter.\n")
  expect(zim.archive.note).toBe("")
})

test("a page has its entry's title, and a redirect's address leads to it", async () => {
  await using zim = aZim(whole)
  const index = await zim.archive.content.load(`${ADDRESS}index.html` as PageUrl, ALL)
  expect(index).toMatchObject({
    kind: "fetched",
    headers: { "content-type": "text/html; charset=utf-8" },
    facts: { title: "The house of lanterns" },
  })
  const older = await zim.archive.content.load(`${ADDRESS}older.html` as PageUrl, ALL)
  expect(older).toEqual(index)
  expect(await zim.archive.textAt(`${ADDRESS}none.html`)).toMatch(/^gone: /)
  expect(await zim.archive.textAt(`${ADDRESS}M/Title`)).toMatch(/^gone: /)
})

test("an unchanged page is not read again", async () => {
  await using zim = aZim(whole)
  const url = `${ADDRESS}sub/a.html` as PageUrl
  const first = await zim.archive.content.load(url, ALL)
  if (first.kind !== "fetched") throw new Error(first.kind)
  const validators = { etag: first.headers.etag!, lastModified: null }
  expect((await zim.archive.content.load(url, { ...ALL, validators })).kind).toBe("not-modified")
  expect(await zim.archive.content.load(url, { maxBytes: 100 })).toMatchObject({ because: "too-large" })
})

test("a file that is truncated anywhere, or isn't a ZIM file, fails as a whole", async () => {
  for (const end of [40, 200, 5000, whole.length - 1]) {
    await using zim = aZim(whole.subarray(0, end))
    await expect(zim.archive.content.open()).rejects.toThrow(/it is cut off|it isn't a ZIM file/)
    expect(await zim.archive.textAt(`${ADDRESS}index.html`)).toMatch(/^refused: /)
  }
  await using other = aZim(patched(4, 7))
  await expect(other.archive.content.open()).rejects.toThrow("version 7, not 5 or 6")
})

test("a cluster that is damaged or in an old compression is reported, and no page is removed", async () => {
  const clusters = Number(whole.readBigUInt64LE(48))
  const count = whole.readUInt32LE(28)
  const starts = Array.from({ length: count }, (_, index) =>
    Number(whole.readBigUInt64LE(clusters + index * 8)),
  )
  const packed = starts.filter((start) => whole[start] === 5)
  expect(packed.length).toBeGreaterThan(0)
  const xz = Buffer.from(whole)
  for (const start of packed) xz[start] = 4
  await using old = aZim(xz)
  expect(await old.archive.textAt(`${ADDRESS}sub/a.html`)).toMatch(
    /^unsupported-type: it is compressed with XZ/,
  )
  const broken = Buffer.from(whole)
  for (const start of packed) broken.fill(0xff, start + 1, start + 30)
  await using damaged = aZim(broken)
  expect(await damaged.archive.textAt(`${ADDRESS}sub/a.html`)).toMatch(/^refused: its cluster is damaged/)
})

test("a corrupted byte never hangs reading: the result is a page or a reason", async () => {
  for (let at = 24; at < whole.length; at += 977) {
    await using zim = aZim(patched(at, 0xff, 0xff, 0xff))
    const read = await zim.archive.read().catch((error: Error) => ({ error: error.message }))
    for (const text of Object.values(read))
      expect(text).toMatch(/^(?:<!DOCTYPE|Plain|gone|refused|too-large|unsupported-type|The archive)/)
  }
})
