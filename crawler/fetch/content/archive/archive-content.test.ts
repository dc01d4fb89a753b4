import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { ADDRESS, ALL, AnArchive, madeBy } from "./testing/an-archive.ts"

const LONG = `${"very-long-name-".repeat(12)}/long.md`
const DOCUMENTS = {
  "IT & tools/printers.html":
    "<title>Printers</title><h1>Printers</h1><p>The printer on floor two takes A3 paper.</p>",
  "travel/Zürich.md": "# Zürich\n\nThe office in Zürich opens at eight.\n",
  "travel/copy.md": "# Hotels\n\nBook hotels of up to 140 euros a night.\n",
  "travel/hotels.md": "# Hotels\n\nBook hotels of up to 140 euros a night.\n",
  [LONG]: "# Long\n\nA file with a long path and a lantern.\n",
}

const utf8 = (text: string) => new TextEncoder().encode(text)

test.each(["infozip.zip", "gnu.tar.gz", "pax.tar.gz"])(
  "%s holds the files of the folder it was made from, and no links, pipes or hidden files",
  async (name) => {
    await using archive = new AnArchive(madeBy(name))
    await archive.content.open()
    expect(await archive.read()).toEqual(DOCUMENTS)
    const isSparse = name.includes("tar")
    expect(archive.note).toContain(isSparse ? "travel/sparse.bin (a sparse file" : "")
  },
)

test("an uncompressed tar file reads the same", async () => {
  using folder = temporaryFolder()
  const { gunzipSync } = await import("node:zlib")
  const path = join(folder.path, "docs.tar")
  writeFileSync(path, gunzipSync(readFileSync(madeBy("gnu.tar.gz"))))
  await using archive = new AnArchive(path)
  expect(await archive.read()).toEqual(DOCUMENTS)
})

test("a path that leads out of the archive is left out, and the last of two entries with the same name wins", async () => {
  await using archive = new AnArchive(madeBy("names.zip"))
  const read = await archive.read()
  expect(Object.keys(read)).toEqual(["a/b.md", "café.md", "dot.md", "inner.zip", "twice.md"])
  expect(read["twice.md"]).toBe("# Second\n\nThe second text counts.")
  expect(archive.note).toContain("../up.md (its path leads out of the archive)")
  expect(archive.note).toContain("/abs.md (its path is absolute)")
  expect(archive.note).toContain("C:/win.md (its path is absolute)")
  expect(archive.note).toContain("x/../y.md (its path leads out of the archive)")
})

test("an entry that is encrypted or compressed in an unknown way is skipped with the reason", async () => {
  await using locked = new AnArchive(madeBy("locked.zip"))
  expect(await locked.read()).toEqual({ "travel/hotels.md": "unsupported-type: it is encrypted" })
  await using deep = new AnArchive(madeBy("deep.zip"))
  expect((await deep.read())["bz.md"]).toMatch(/^unsupported-type: it is compressed with method 12/)
})

test("a zip bomb is rejected before it is unpacked", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "bomb.zip")
  writeFileSync(path, zipSync({ "a.txt": new Uint8Array(70_000_000) }, { level: 1 }))
  await using ratio = new AnArchive(path)
  await expect(ratio.content.open()).rejects.toThrow(/bytes unpack to 70000000/)
  // Two directory entries that point to the same bytes.
  const zip = Buffer.from(zipSync({ "a.txt": utf8("text a"), "b.txt": utf8("text b") }))
  const second = zip.lastIndexOf(Buffer.from("PK\x01\x02"))
  zip.writeUInt32LE(0, second + 42)
  writeFileSync(path, zip)
  await using overlap = new AnArchive(path)
  await expect(overlap.content.open()).rejects.toThrow("overlap")
})

test("an entry whose bytes don't match their checksum is damaged, and the others are not", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "docs.zip")
  const zip = Buffer.from(zipSync({ "a.txt": [utf8("text of a"), { level: 0 }], "b.txt": utf8("text of b") }))
  zip[zip.indexOf("text of a")] = 0x54
  writeFileSync(path, zip)
  await using archive = new AnArchive(path)
  expect(await archive.read()).toEqual({
    "a.txt": "refused: it is damaged: its bytes don't match their checksum",
    "b.txt": "text of b",
  })
})

test("an unchanged entry is not read again, whatever else changed in the archive", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "docs.zip")
  const mtime = new Date("2026-01-02T00:00:00Z")
  const write = (a: string, b: string) => {
    writeFileSync(`${path}.new`, zipSync({ "a.txt": utf8(a), "b.txt": utf8(b) }, { mtime }))
    renameSync(`${path}.new`, path)
  }
  write("text a", "text b")
  await using archive = new AnArchive(path)
  const etagOf = async (name: string) => {
    const loaded = await archive.content.load(`${ADDRESS}${name}` as PageUrl, ALL)
    return "headers" in loaded ? loaded.headers.etag! : null
  }
  const [a, b] = [await etagOf("a.txt"), await etagOf("b.txt")]
  const print = await archive.content.fingerprint()
  write("text a", "TEXT B")
  utimesSync(path, mtime, mtime)
  expect(await archive.content.fingerprint()).not.toBe(print)
  const again = async (name: string, etag: string | null) =>
    await archive.content.load(`${ADDRESS}${name}` as PageUrl, {
      ...ALL,
      validators: { etag, lastModified: null },
    })
  expect((await again("a.txt", a)).kind).toBe("not-modified")
  expect(await again("b.txt", b)).toMatchObject({ kind: "fetched", body: utf8("TEXT B") })
})

test("an archive that is missing, empty or in another format removes no pages", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "docs.zip")
  await using archive = new AnArchive(path)
  const url = `${ADDRESS}travel/hotels.md`
  await expect(archive.content.open()).rejects.toThrow("ENOENT")
  expect(await archive.textAt(url)).toMatch(/^refused: .*ENOENT/)
  copyFileSync(madeBy("infozip.zip"), path)
  expect(await archive.textAt(url)).toBe(DOCUMENTS["travel/hotels.md"])
  expect(await archive.textAt(`${ADDRESS}travel/none.md`)).toMatch(/^gone: /)
  truncateSync(path, 1500)
  await expect(archive.content.open()).rejects.toThrow("isn't a zip file, or its end is missing")
  expect(await archive.textAt(url)).toMatch(/^refused: /)
  writeFileSync(path, zipSync({}))
  await expect(archive.content.open()).rejects.toThrow("contains no readable files")
  rmSync(path)
})

test("the complete entries of a truncated tar file are read, and the others are not removed", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "docs.tar.gz")
  const whole = readFileSync(madeBy("pax.tar.gz"))
  for (const bytes of [whole.length - 300, whole.length - 40]) {
    writeFileSync(path, whole.subarray(0, bytes))
    await using archive = new AnArchive(path)
    const read = await archive.read()
    expect(Object.entries(DOCUMENTS)).toEqual(expect.arrayContaining(Object.entries(read)))
    expect(archive.note).toContain("it is cut off or damaged")
    expect(await archive.textAt(`${ADDRESS}nothing.md`)).toMatch(
      /^refused: the archive is cut off or damaged/,
    )
  }
  // The archive ends after an entry, without the blocks that mark the end.
  const { gunzipSync } = await import("node:zlib")
  const tar = gunzipSync(whole)
  const end = tar.length - (tar.length - 1 - tar.findLastIndex((byte) => byte !== 0))
  writeFileSync(join(folder.path, "docs.tar"), tar.subarray(0, Math.ceil(end / 512) * 512))
  await using unended = new AnArchive(join(folder.path, "docs.tar"))
  expect(await unended.read()).toEqual(DOCUMENTS)
  expect(unended.note).toContain("it is cut off or damaged")
})
