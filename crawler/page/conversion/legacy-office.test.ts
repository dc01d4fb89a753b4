import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"
import { sniffDocument } from "../formats/sniff-document.ts"
import { findConverter } from "./find-converter.ts"
import { runConverter } from "./run-converter.ts"

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, "testing/files", name))

const READ = {
  "simple-table.doc": ["a table consisting of 2 rows and 3 columns", "| Cell 2,1 | Cell 2,2 | Cell 2,3 |"],
  "Lists.doc": ["Heading Level 1", "   - ML 2:1", "1. Ordered list 1"],
  "Word6.doc": ["The quick brown fox jumps over the lazy dog"],
  "testEXCEL_95.xls": ["## Feuil1", "| Number | Square | Formatted |", "| 1,234,500 |"],
  "SimpleMultiCell.xls": ["| 11 | 12 | 13 | 14 | 15 |"],
  "WithLinks.ppt": [
    "## I am page two",
    "[Jakarta HSSF](http://jakarta.apache.org/poi/hssf/)",
    "I am the notes",
  ],
} as const
const LOCKED = ["PasswordProtected.doc", "xor-encryption-abc.xls", "Password_Protected-hello.ppt"]

test("each file is recognised by its contents, whatever its name and type", () => {
  for (const name of [...Object.keys(READ), ...LOCKED]) {
    const sniffed = sniffDocument("application/octet-stream", fileOf(name), "https://x.example/download")
    expect([name, sniffed]).toEqual([name, { kind: "legacy", format: name.slice(-3) }])
  }
})

test("files with a damaged directory are recognised by their type or extension", () => {
  const whole = fileOf("Lists.doc")
  const damages: readonly Buffer[] = [
    whole.subarray(0, 700),
    Buffer.concat([whole.subarray(0, 30), Buffer.alloc(600)]),
    // A sector table that chains each sector to itself.
    Buffer.concat([whole.subarray(0, 512), Buffer.alloc(whole.length - 512)]),
  ]
  for (const damaged of damages) {
    expect(sniffDocument("", damaged, "https://x.example/a.xls")).not.toBeNull()
    expect(sniffDocument("application/msword", damaged, "https://x.example/")?.kind).toMatch(
      /legacy|unsupported/,
    )
  }
  expect(sniffDocument("", whole.subarray(0, 700), "https://x.example/a.DOC")).toEqual({
    kind: "legacy",
    format: "doc",
  })
})

test(
  "a crawl reads them through LibreOffice, and reports locked and damaged ones",
  { tags: ["libreoffice"] },
  async () => {
    const names = [...Object.keys(READ), ...LOCKED]
    const damaged = Buffer.from(fileOf("Lists.doc"))
    damaged.fill(0x5a, 512, 12_000)
    await using site = await startTestSite({
      "/": article("Old files", { links: [...names, "damaged.doc"].map((name) => `/${name}`) }),
      "/damaged.doc": bytes(damaged, { "content-type": "application/msword" }),
      ...Object.fromEntries(
        names.map((name) => [
          `/${name}`,
          bytes(fileOf(name), { "content-type": "application/octet-stream" }),
        ]),
      ),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ name: "old", seeds: [site.url("/")] }, { config: testConfig() })

    const pages = new Map([...fixture.engine.pages.values()].map((page) => [page.url as string, page]))
    for (const [name, texts] of Object.entries(READ)) {
      const page = pages.get(site.url(`/${name}`))
      for (const text of texts) expect(`${page?.title}\n${page?.markdown}`).toContain(text)
    }
    const known = new KnownAddresses(fixture.db)
    for (const name of [...LOCKED, "damaged.doc"]) {
      const { outcome, detail } = (await known.get(site.url(`/${name}`) as never)) ?? {}
      expect([name, outcome, detail]).toEqual([
        name,
        "failed:unreadable",
        "LibreOffice can't open it: it is damaged, password protected, or needs too much memory",
      ])
    }
  },
)

test("a linked image is not requested", { tags: ["libreoffice"] }, async () => {
  await using site = await startTestSite({ "*": article("Nobody comes here") })
  // The replaced address has the same length, because the file records the length.
  const from = "127.0.0.1:18765"
  const to = site.authority.padEnd(from.length, "/")
  const body = (["latin1", "utf16le"] as const).reduce((bytes, encoding) => {
    const at = bytes.indexOf(Buffer.from(from, encoding))
    expect(at).toBeGreaterThan(0)
    Buffer.from(to, encoding).copy(bytes, at)
    return bytes
  }, fileOf("linked-picture.doc"))
  const found = findConverter("")
  const path = "path" in found ? found.path : ""
  const { kind } = await runConverter(path, "doc", body, { timeoutMs: 600_000, memoryMb: 512 })
  expect(kind).toBe("converted")
  expect(site.requests).toEqual([])
})
