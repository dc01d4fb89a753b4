import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { lines, pdf, pdfInFont } from "../../testing/pdf-file.ts"
import { readDocument } from "../formats/read-document.ts"
import { pageLine, type RecognisedPage, type RecognisedRun } from "./recognised-page.ts"

const run = (text: string, y: number, size = 11): RecognisedRun => [text, 72, y, text.length * 5, size]
const page = (number: number, runs: readonly RecognisedRun[]): RecognisedPage => ({
  page: number,
  width: 612,
  height: 792,
  runs,
  by: "a test",
})
const read = (body: Uint8Array, recognised: string) =>
  readDocument("pdf", body.slice(), "https://x.example/file.pdf", 10_000, recognised)

test("recognised pages join the others in the text, and pages still waiting are listed", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "text.jsonl")
  const body = pdf([
    { texts: lines(["The first page has words of its own, and they stay."], 72, 700) },
    { texts: [] },
    { texts: [] },
    { texts: [] },
  ])
  await appendFile(
    file,
    pageLine(page(1, [run("Nothing is recognised of a page with words", 90)])) +
      pageLine(
        page(2, [
          run("The Sluice", 80, 20),
          run("It was built of larch, and the gates are", 110),
          run("tarred each year.", 123),
        ]),
      ) +
      pageLine(page(3, [])),
  )
  const { markdown, pictured, anchors } = await read(body, file)
  expect(markdown).toBe(
    "The first page has words of its own, and they stay.\n\n# The Sluice\n\nIt was built of larch, and the gates are tarred each year.",
  )
  expect(pictured).toEqual([4])
  expect(anchors).toContainEqual([2, "page=2", "2"])
})

test("a line truncated when its process ended is ignored", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "text.jsonl")
  const body = pdf([{ texts: [] }, { texts: [] }])
  const line = pageLine(page(2, [run("The second page", 90)]))
  await appendFile(file, pageLine(page(1, [run("The first page", 90)])) + line.slice(0, -9))
  expect(await read(body, file)).toMatchObject({ markdown: "The first page", pictured: [2] })
  await appendFile(file, line)
  expect((await read(body, file)).pictured).toBeUndefined()
})

test("pages whose letters no font decodes are treated as scans", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "text.jsonl")
  const font = "/Subtype /Type0 /BaseFont /AAAAAA+Own /Encoding /Identity-H /DescendantFonts [10 0 R]"
  const objects = [
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /CIDToGIDMap /Identity /FontDescriptor 11 0 R >>",
    "<< /Type /FontDescriptor /FontName /AAAAAA+Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
  ]
  // Glyph numbers, which have no meaning in a font without a mapping to Unicode.
  const codes = Array.from("emergencystopbehindtheseconddoor", (one) =>
    (one.charCodeAt(0) - 29).toString(16).padStart(4, "0"),
  ).join("")
  const body = pdfInFont({ font, objects }, [codes, codes])
  await expect(readDocument("pdf", body.slice(), "https://x.example/a.pdf", 10_000)).rejects.toMatchObject({
    kind: "undecodable",
  })
  expect(await read(body, file)).toMatchObject({ markdown: "", pictured: [1] })
})
