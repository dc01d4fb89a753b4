import { unzipSync, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { toPassages } from "#engine/text/passages.ts"
import {
  docx,
  epub,
  openDocument,
  pptx,
  wordParagraph,
  wordTable,
  xlsx,
  zip,
} from "../../testing/documents.ts"
import { DocumentError } from "./document-error.ts"
import type { DocumentFormat } from "./document-format.ts"
import { readDocument } from "./read-document.ts"

function read(
  format: DocumentFormat,
  body: Uint8Array,
  url = "https://x.example/files/annual_report-2024.bin",
) {
  return readDocument(format, body, url, 10_000)
}

const PROSE =
  "The pump stands on a level floor, and its inlet is below the water, so that it never draws any air at all."

describe("Word documents", () => {
  it("keep headings, lists, tables, links and emphasis", async () => {
    const link = `<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>the site</w:t></w:r></w:hyperlink></w:p>`
    const bold = `<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>hot</w:t></w:r></w:p>`
    const file = docx(
      wordParagraph("Installing", { style: "Heading1" }) +
        wordParagraph(PROSE) +
        wordParagraph("Parts", { style: "Heading2" }) +
        wordParagraph("a hose", { list: [1, 0] }) +
        wordParagraph("a clamp", { list: [1, 1] }) +
        wordParagraph("unpack", { list: [2, 0] }) +
        wordParagraph("connect", { list: [2, 0] }) +
        wordTable([
          ["Part", "Price"],
          ["Hose | 2 m", "4"],
        ]) +
        link +
        bold +
        wordParagraph("* not a list"),
      { title: "Pump manual", author: "Ada Byron", links: { r1: "https://pumps.example/a b" } },
    )
    const page = await read("docx", file)
    expect(page.markdown).toBe(
      `# Installing

${PROSE}

## Parts

- a hose
   - a clamp
1. unpack
2. connect

| Part | Price |
| --- | --- |
| Hose \\| 2 m | 4 |

See [the site](https://pumps.example/a%20b)

It is **hot**

\\* not a list`,
    )
    expect(page).toMatchObject({
      title: "Pump manual",
      author: "Ada Byron",
      publishedAt: new Date("2024-03-05T10:00:00Z"),
      language: "en",
      links: [{ url: "https://pumps.example/a%20b", text: "the site" }],
    })
  })

  it.each([
    "Dokument1",
    "Microsoft Word - Documento 3",
    "Document sans titre",
    "Präsentation2",
    "無題",
    "[Document title]",
    "Microsoft Office Word: Untitled Document",
    "New Microsoft Word Document (2)",
    "Vorlage",
    "(anonymous)",
  ])("do not take the title %s", async (title) => {
    const page = await read(
      "docx",
      docx(wordParagraph("Pumps", { style: "Heading1" }) + wordParagraph(PROSE), { title }),
    )
    expect(page.title).toBe("Pumps")
  })

  it.each(["Documentation of pumps", "Title deeds", "Template for hives", "Standard 14001-2024"])(
    "keep a real title that begins like a placeholder: %s",
    async (title) => {
      expect((await read("docx", docx(wordParagraph(PROSE), { title }))).title).toBe(title)
    },
  )

  it("take a bold first line as title when no styles are used", async () => {
    const bold = `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Care of pumps</w:t></w:r></w:p>`
    expect((await read("docx", docx(bold + wordParagraph(PROSE)))).title).toBe("Care of pumps")
  })

  it("take the first heading as title, or else the file name, when theirs is a placeholder", async () => {
    const untitled = { title: "Microsoft Word - Document1" }
    const headed = docx(wordParagraph("Pumps", { style: "Heading1" }) + wordParagraph(PROSE), untitled)
    expect(await read("docx", headed)).toMatchObject({ title: "Pumps", markdown: PROSE })
    expect(await read("docx", docx(wordParagraph(PROSE), untitled))).toMatchObject({
      title: "annual report-2024",
    })
  })

  it("have their footnotes after the paragraph", async () => {
    const claim = `<w:p><w:r><w:t>It is so.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
    const file = docx(claim + wordParagraph("More."), { footnotes: { 2: "Says the maker." } })
    expect((await read("docx", file)).markdown).toBe("It is so.\n\nSays the maker.\n\nMore.")
  })

  it("do not expand entities", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "ha ha ha ha ha "><!ENTITY b "${"&a;".repeat(1000)}"><!ENTITY c "${"&b;".repeat(1000)}">]>`
    const document = `${bomb}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${wordParagraph("before &c; after")}</w:body></w:document>`
    const file = zip({ "[Content_Types].xml": "<Types/>", "word/document.xml": document })
    const outcome: unknown = await read("docx", file).catch((error: unknown) => error)
    expect(outcome).not.toMatchObject({ markdown: expect.stringContaining("ha ha") as string })
  })

  it("with extreme nesting are rejected", async () => {
    const nested = `${"<w:tbl><w:tr><w:tc>".repeat(3000)}${wordParagraph("deep")}${"</w:tc></w:tr></w:tbl>".repeat(3000)}`
    await expect(read("docx", docx(wordParagraph(PROSE) + nested))).rejects.toBeInstanceOf(DocumentError)
  })
})

describe("presentations", () => {
  it("have a heading for each slide, with its points and its notes", async () => {
    const file = pptx(
      [
        { title: "Results", bullets: ["Sales rose", "Costs fell"], notes: "Say this slowly." },
        { title: "Outlook", bullets: ["More of both"] },
      ],
      { title: "Year in review" },
    )
    const page = await read("pptx", file)
    expect(page.title).toBe("Year in review")
    expect(page.markdown).toBe(
      `## Results

- Sales rose
- Costs fell

Say this slowly.

## Outlook

- More of both`,
    )
  })

  it("give the slide of each passage, counting empty and hidden ones", async () => {
    const points = (about: string) =>
      Array.from({ length: 6 }, (_, at) => `${about} point ${at} is made in many words`)
    const file = pptx(
      [
        { title: "Results", bullets: points("Sales") },
        { title: "", bullets: [] },
        { title: "Outlook", bullets: points("Growth"), notes: "Say this slowly." },
        { title: "A", bullets: ["short"] },
        { title: "B", bullets: ["short too"] },
      ],
      { title: "Year in review" },
    )
    const { markdown, anchors } = await read("pptx", file)
    expect(
      toPassages(markdown, anchors).map(({ text, headings, pages: _pages, ...place }) => [
        headings,
        place,
        text.slice(0, 7),
      ]),
    ).toEqual([
      [["Results"], { page: "1" }, "- Sales"],
      [["Outlook"], { page: "3" }, "- Growt"],
      [[], { page: "4–5", beginsUnder: "A" }, "A\n- sho"],
    ])
  })
})

describe("spreadsheets", () => {
  it("become a table per sheet, with dates and percentages as displayed", async () => {
    const file = xlsx({
      Prices: [
        ["Item", "Price", "Since", "Rebate"],
        ["Pump", 12.5, { number: 45_293, format: "yyyy\\-mm\\-dd" }, { number: 0.125, format: "0.0%" }],
        [null, null, null, null],
        ["Valve", 0.1 + 0.2, null, null],
      ],
      Empty: [],
    })
    expect((await read("xlsx", file)).markdown).toBe(
      `## Prices

| Item | Price | Since | Rebate |
| --- | --- | --- | --- |
| Pump | 12.5 | 2024-01-02 | 12.5% |
| Valve | 0.3 |  |  |`,
    )
  })

  it("repeat the text of merged cells in each of their rows", async () => {
    const parts = unzipSync(
      xlsx({
        Tariff: [
          ["Deck", "Cabin", "Price"],
          ["A", 1, 90],
          [null, 2, 95],
          ["All prices in crowns"],
          [null, null, "x"],
        ],
      }),
    )
    const path = "xl/worksheets/sheet1.xml"
    const merged = `</sheetData><mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="A4:C4"/><mergeCell ref="B2:B900000"/></mergeCells>`
    const sheet = Buffer.from(parts[path]!).toString().replace("</sheetData>", merged)
    expect((await read("xlsx", zip({ ...parts, [path]: sheet }))).markdown.split("\n").slice(4)).toEqual([
      "| A | 1 | 90 |",
      "| A | 2 | 95 |",
      "| All prices in crowns |  |  |",
      "|  | 1 | x |",
    ])
  })

  it("are read up to a maximum number of cells", async () => {
    const rows = Array.from({ length: 11_000 }, (_, y) => Array.from({ length: 10 }, (_, x) => y * 10 + x))
    const page = await read("xlsx", xlsx({ Numbers: rows }))
    expect(page.note).toBe("only the first 100000 cells were read")
    expect(page.markdown).toContain("| 99990 |")
    expect(page.markdown).not.toContain("| 100000 |")
  })

  it("in OpenDocument format become tables too, however many empty rows they claim", async () => {
    const row = (cells: readonly string[]) =>
      `<table:table-row>${cells.map((cell) => `<table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell>`).join("")}<table:table-cell table:number-columns-repeated="16000"/></table:table-row>`
    const file = openDocument(
      "spreadsheet",
      `<table:table table:name="Parts">${row(["Part", "Count"])}${row(["Hose", "3"])}<table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row></table:table>`,
      { title: "Stock" },
    )
    expect(await read("ods", file)).toMatchObject({
      title: "Stock",
      markdown: "## Parts\n\n| Part | Count |\n| --- | --- |\n| Hose | 3 |",
    })
  })
})

describe("OpenDocument texts", () => {
  it("keep headings, lists and links", async () => {
    const file = openDocument(
      "text",
      `<text:h text:outline-level="1">First</text:h><text:p>Some words and <text:a xlink:href="https://odf.example/">a link</text:a>.</text:p>` +
        `<text:list text:style-name="L1"><text:list-item><text:p>apple</text:p></text:list-item><text:list-item><text:p>pear</text:p></text:list-item></text:list>`,
      { title: "Fruit", author: "Dora" },
    )
    expect(await read("odt", file)).toMatchObject({
      title: "Fruit",
      author: "Dora",
      publishedAt: new Date("2023-06-07T08:09:10Z"),
      markdown: "# First\n\nSome words and [a link](https://odf.example/).\n\n- apple\n- pear",
    })
  })
})

describe("RTF", () => {
  it("is read as text", async () => {
    const file = Buffer.from(String.raw`{\rtf1\ansi\pard Dear Ada,\par How is the {\b engine}?\par}`)
    const page = await read("rtf", file)
    expect(page.markdown).toBe("Dear Ada,\n\nHow is the **engine**?")
  })
})

describe("books", () => {
  it("have their chapters in order, without dead links", async () => {
    const file = epub(
      [
        `<h1>One</h1><p>${PROSE} <a href="chapter%202.xhtml#n">note</a></p>`,
        `<h1>Two</h1><a id="n"/><p>See <a href="https://pumps.example/">pumps</a>.</p><script>alert(1)</script>`,
      ],
      { title: "On pumps", author: "Ada Byron", language: "en-GB" },
    )
    const page = await read("epub", file)
    expect(page.markdown).toBe(`# One\n\n${PROSE} note\n\n# Two\n\nSee [pumps](https://pumps.example/).`)
    expect(page).toMatchObject({
      title: "On pumps",
      author: "Ada Byron",
      language: "en",
      publishedAt: new Date("2019-08-07T00:00:00Z"),
      links: [{ url: "https://pumps.example/", text: "pumps" }],
    })
  })

  it("can have chapters and contents in encodings other than UTF-8", async () => {
    const files = unzipSync(epub(["<p>x</p>", "<p>y</p>"], { title: "Ключи" }))
    const chapter = (encoding: string, text: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>${text}</p></body></html>`
    const book = new TextDecoder().decode(files["OEBPS/book.opf"])
    const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))
    const file = zipSync({
      ...files,
      "OEBPS/book.opf": utf16(book.replace(/encoding="[^"]*"/, 'encoding="UTF-16"')),
      "OEBPS/text/chapter 1.xhtml": utf16(chapter("UTF-16", "Маяк на берегу")),
      "OEBPS/text/chapter 2.xhtml": new Uint8Array(Buffer.from(chapter("ISO-8859-1", "Déjà vu"), "latin1")),
    })
    expect(await read("epub", file)).toMatchObject({ title: "Ключи", markdown: "Маяк на берегу\n\nDéjà vu" })
  })

  it.each([
    [
      "navigation document",
      `<item id="nav" href="nav.xhtml" properties="scripted nav"/>`,
      "nav.xhtml",
      `<html xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="landmarks"><a href="text/chapter%202.xhtml">Start</a></nav><nav epub:type="toc"><ol>
        <li><a href="text/chapter%201.xhtml">Chapter <i>One</i>: The Lamp</a><ol><li><a href="text/chapter%201.xhtml#oil">Oil</a></li></ol></li>
        <li><a href="text/chapter%202.xhtml">The Tower</a></li><li><a href="text/chapter%204.xhtml">Storms_</a></li></ol></nav></body></html>`,
    ],
    [
      "NCX",
      `<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>`,
      "toc.ncx",
      `<ncx><docTitle><text>On lights</text></docTitle><navMap>
        <navPoint><navLabel><text>Chapter One: The Lamp</text></navLabel><content src="text/chapter%201.xhtml"/>
          <navPoint><navLabel><text>Oil</text></navLabel><content src="text/chapter%201.xhtml#oil"/></navPoint></navPoint>
        <navPoint><navLabel><text>The Tower</text></navLabel><content src="text/chapter%202.xhtml"/></navPoint>
        <navPoint><navLabel><text>Storms_</text></navLabel><content src="text/chapter%204.xhtml"/></navPoint></navMap></ncx>`,
    ],
  ])("take chapter titles from the %s when chapters have no headings", async (_, item, name, contents) => {
    const files = unzipSync(
      epub(
        [
          `<p class="number">CHAPTER ONE</p><p class="title">The lamp</p><p>${PROSE}</p>`,
          `<h2>II. The tower</h2><p>It is of stone.</p>`,
          `<p>The tower goes on in a file of its own.</p>`,
          `<p>They come in winter.</p>`,
        ],
        { title: "On lights" },
      ),
    )
    const book = new TextDecoder().decode(files["OEBPS/book.opf"])
    const bytes = (text: string) => new Uint8Array(Buffer.from(text))
    const file = zipSync({
      ...files,
      "OEBPS/book.opf": bytes(book.replace("<manifest>", `<manifest>${item}`)),
      [`OEBPS/${name}`]: bytes(contents),
    })
    const { markdown } = await read("epub", file)
    expect(markdown).toBe(
      [
        "# Chapter One: The Lamp",
        PROSE,
        "## II. The tower",
        "It is of stone.",
        "The tower goes on in a file of its own.",
        "# Storms\\_",
        "They come in winter.",
      ].join("\n\n"),
    )
  })

  it("with encryption are not read", async () => {
    const file = epub(["<p>x</p>"], {
      more: {
        "META-INF/encryption.xml": `<encryption><CipherReference URI="OEBPS/text/chapter 1.xhtml"/></encryption>`,
      },
    })
    await expect(read("epub", file)).rejects.toMatchObject({ kind: "unsupported" })
  })
})

describe("invalid files", () => {
  it("are reported as damaged when truncated", async () => {
    const whole = docx(wordParagraph(PROSE.repeat(100)))
    for (const [format, file] of [
      ["docx", whole.slice(0, whole.length / 2)],
      ["docx", zip({ "readme.txt": "no document" })],
      ["epub", zip({ mimetype: "application/epub+zip" })],
      ["pdf", Buffer.from("%PDF-1.7\nand so on")],
    ] as const) {
      await expect(read(format, new Uint8Array(file))).rejects.toMatchObject({
        kind: "unreadable",
        message: expect.stringContaining("damaged") as string,
      })
    }
  })

  it("are not unpacked when they would inflate enormously, or contain too many files", async () => {
    const bomb = zip({ "word/document.xml": new Uint8Array(10_000_000) })
    expect(bomb.length).toBeLessThan(50_000)
    await expect(read("docx", bomb)).rejects.toThrow("the archive is too large")
    const many = zip(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`f${at}`, ""])))
    await expect(read("epub", many)).rejects.toThrow("more than 10000 files")
  })

  it("are reported as password protected", async () => {
    const locked = docx(wordParagraph("x"))
    // Bit 0 of the first entry's flags.
    locked[6] = locked[6]! | 1
    await expect(read("docx", locked)).rejects.toThrow("password protected")
  })
})
