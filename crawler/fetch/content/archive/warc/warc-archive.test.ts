import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { temporaryFolder } from "../../../../testing/crawl-fixture.ts"
import { ALL, AnArchive, madeBy } from "../testing/an-archive.ts"

/** What warcio 1.8.1 (Python) reads from each file: the length of each body and the start of its SHA-256. */
const BY_WARCIO: Readonly<Record<string, Record<string, string>>> = {
  "example.warc": { "http://example.com/": "1270 3587cb776ce0e4e8" },
  "example-iana.org-chunked.warc": { "http://www.iana.org/": "7223 aaf8c52338baf919" },
  "example-wget-bad-target-uri.warc.gz": { "http://example.com/": "1270 3587cb776ce0e4e8" },
  "example-trunc.warc": { "http://example.com/": "1270 3587cb776ce0e4e8" },
  // warcio requires the file to be recompressed first.
  "example-bad-non-chunked.warc.gz": { "http://example.com/": "1270 3587cb776ce0e4e8" },
}

async function digestsOf(archive: AnArchive): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for await (const entries of archive.content.list(archive.listing)) {
    for (const { url } of entries) {
      const loaded = await archive.content.load(url, ALL)
      if (loaded.kind !== "fetched") throw new Error(`${url}: ${loaded.kind}`)
      const sum = createHash("sha256").update(loaded.body).digest("hex").slice(0, 16)
      digests[url] = `${loaded.body.length} ${sum}`
    }
  }
  return digests
}

test.each(Object.keys(BY_WARCIO))("%s yields the same pages, byte for byte, as warcio", async (name) => {
  await using archive = new AnArchive(madeBy(name))
  expect(await digestsOf(archive)).toEqual(BY_WARCIO[name])
})

test("the newest capture of an address is its page, as its site sent it, and errors and redirects aren't pages", async () => {
  await using archive = new AnArchive(madeBy("made.warc.gz"))
  expect(await archive.read()).toEqual({
    "http://a.example/a": "<h1>Same</h1>",
    // A response from an overloaded server is ignored.
    "http://a.example/busy": "<h1>Busy</h1>",
    "http://a.example/deflate": "<h1>Größe</h1>",
    "http://a.example/file.pdf": "%PDF-1.4 x",
    "http://a.example/liar": "<h1>Neither gzip nor chunked</h1>",
    "http://a.example/new": "<h1>Second</h1>",
    "http://a.example/only.pdf": "Text of a PDF",
    "http://a.example/part": "<h1>Part</h1><p>of a pa",
    // A revisit that refers to a capture at another address.
    "http://b.example/b": "<h1>Same</h1>",
  })
  expect(archive.note).toContain("1 revisits refer to captures in other files")
  expect(await archive.textAt("http://a.example/old")).toMatch(/^gone: /)
  expect(await archive.content.load("http://a.example/part" as PageUrl, ALL)).toMatchObject({
    cutOff: "the archive has only part of it (length)",
  })
})

test("a page's change date is its capture date, and the same record is not read twice", async () => {
  await using archive = new AnArchive(madeBy("made.warc.gz"))
  const listed = []
  for await (const entries of archive.content.list(archive.listing)) listed.push(...entries)
  const entry = listed.find(({ url }) => url === "http://a.example/new")!
  expect(new Date(entry.changedAt).toISOString()).toBe("2021-01-01T00:00:00.000Z")
  const first = await archive.content.load(entry.url, ALL)
  if (first.kind !== "fetched") throw new Error(first.kind)
  expect(first.facts?.publishedAt).toBeUndefined()
  const validators = { etag: first.headers.etag!, lastModified: null }
  expect((await archive.content.load(entry.url, { ...ALL, validators })).kind).toBe("not-modified")
})

test("a file yields the same pages, however it is compressed", async () => {
  using folder = temporaryFolder()
  const plain = gunzipSync(readFileSync(madeBy("made.warc.gz")))
  await using expected = new AnArchive(madeBy("made.warc.gz"))
  const pages = await expected.read()
  // Records that begin in one member and end in the next.
  const members = [0, 2000, 4000].map((at, index) =>
    gzipSync(plain.subarray(at, index === 2 ? undefined : at + 2000)),
  )
  const files = { "a.warc": plain, "b.warc.gz": gzipSync(plain), "c.warc.gz": Buffer.concat(members) }
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(folder.path, name), bytes)
    await using archive = new AnArchive(join(folder.path, name))
    expect(await archive.read()).toEqual(pages)
  }
})

test("the pages before a truncation are read, and none of the others are removed", async () => {
  using folder = temporaryFolder()
  for (const name of ["a.warc.gz", "a.warc"]) {
    const packed = readFileSync(madeBy("made.warc.gz"))
    const whole = name.endsWith("gz") ? packed : gunzipSync(packed)
    for (let end = whole.length - 30; end > 600; end -= 397) {
      const path = join(folder.path, name)
      writeFileSync(path, whole.subarray(0, end))
      await using archive = new AnArchive(path)
      const read = await archive.read()
      // In the complete file, later records may replace these pages.
      for (const text of Object.values(read)) expect(text).toMatch(/^(?:<h1>|%PDF|Text|conv)/)
      expect(await archive.textAt("http://a.example/none")).toMatch(
        /^refused: the archive is cut off or damaged/,
      )
    }
  }
})

test("a body that unpacks to more than the size limit is too large, however small it is compressed", async () => {
  using folder = temporaryFolder()
  const body = gzipSync(Buffer.alloc(3_000_000))
  const http = Buffer.concat([
    Buffer.from("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"),
    body,
  ])
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: application/http\r\nContent-Length: ${http.length}\r\n\r\n`
  const path = join(folder.path, "a.warc.gz")
  const record = Buffer.concat([Buffer.from(head), http, Buffer.from("\r\n\r\n")])
  writeFileSync(path, gzipSync(record))
  await using archive = new AnArchive(path)
  expect(await archive.textAt("http://a.example/")).toMatch(/^too-large: /)
  // The same test with a record that is itself repetitive.
  const plain = Buffer.concat([
    Buffer.from(head.replace(/\d+\r\n\r\n$/, "3000000\r\n\r\n")),
    Buffer.alloc(3_000_000),
    Buffer.from("\r\n\r\n"),
  ])
  const resource = Buffer.from(
    plain.toString("latin1").replace("application/http", "text/html").replace("response", "resource"),
    "latin1",
  )
  writeFileSync(path, gzipSync(resource))
  await using other = new AnArchive(path)
  expect(await other.textAt("http://a.example/")).toMatch(/^too-large: /)
})

test("a file that isn't WARC fails with a message that says so", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "a.warc")
  writeFileSync(path, "<html>No archive at all, whatever its name says.</html>")
  await using archive = new AnArchive(path)
  await expect(archive.content.open()).rejects.toThrow("a record doesn't start with WARC/ and a version")
})
