import { describe, expect, it } from "vitest"
import { lines, pdf, type TestPdfOptions, type TestPdfPage } from "../../../testing/pdf-file.ts"
import { toPassages } from "#engine/text/passages.ts"
import { readDocument } from "../read-document.ts"

function read(pages: readonly TestPdfPage[], options: TestPdfOptions = {}, budgetMs = 10_000) {
  return readDocument("pdf", pdf(pages, options), "https://x.example/pump.pdf", budgetMs)
}

describe("the text of a page", () => {
  it("forms paragraphs across line ends, and rejoins broken words", async () => {
    const page = await read([
      {
        texts: [
          ...lines(
            [
              "The pump stands on a level floor and its inlet is below the wa-",
              "ter, so that it never draws any air at all, not even a self-made",
              "bubble, which is why a self-",
              "made stand is good enough.",
            ],
            72,
            700,
          ),
          ...lines(["Another paragraph begins after a gap and goes on for a line."], 72, 620),
        ],
      },
    ])
    expect(page.markdown).toBe(
      "The pump stands on a level floor and its inlet is below the water, so that it never draws any air at all, " +
        "not even a self-made bubble, which is why a self-made stand is good enough.\n\n" +
        "Another paragraph begins after a gap and goes on for a line.",
    )
  })

  it("has headings by font size, lists and code", async () => {
    const page = await read([
      {
        texts: [
          { x: 72, y: 740, text: "Pump manual", size: 24 },
          { x: 72, y: 700, text: "Installing", size: 16 },
          ...lines(["Unpack it with care, since the hose is easily bent, and then go on."], 72, 675),
          { x: 80, y: 650, text: "\x95 a hose" },
          { x: 80, y: 637, text: "\x95 a clamp" },
          { x: 72, y: 600, text: "pump --start", font: "Courier" },
          { x: 98.4, y: 587, text: "--slow", font: "Courier" },
        ],
      },
    ])
    expect(page.title).toBe("Pump manual")
    expect(page.markdown).toBe(
      "## Installing\n\nUnpack it with care, since the hose is easily bent, and then go on.\n\n" +
        "- a hose\n- a clamp\n\n```\npump --start\n    --slow\n```",
    )
  })

  it("links to its page, even in the middle of a section, a list or a paragraph", async () => {
    const prose = (about: string) =>
      lines([`${about} is told here in a sentence that ends with a full stop.`], 72, 660)
    const page = await read([
      { texts: [{ x: 72, y: 740, text: "Pump manual", size: 24 }, ...prose("What stands before")] },
      { texts: [{ x: 72, y: 740, text: "Installing", size: 16 }, ...prose("The hose")] },
      {
        texts: [
          ...lines(["Another page goes on with it."], 72, 740),
          { x: 80, y: 650, text: "\x95 a hose" },
          { x: 72, y: 600, text: "Seals", size: 16 },
          ...lines(["A seal goes on on the"], 72, 570),
        ],
      },
      { texts: [...lines(["next page, in the same sentence."], 72, 740)] },
      {
        texts: [
          { x: 80, y: 740, text: "\x95 a clamp" },
          { x: 80, y: 700, text: "\x95 a ring" },
        ],
      },
    ])
    expect(page.type).toBe("pdf")
    const text = page.markdown.split("\n")
    expect(page.anchors!.map(([line, ...place]) => [text[line]!.slice(0, 14), ...place])).toEqual([
      ["What stands be", "page=1", "1"],
      ["## Installing", "page=2", "2"],
      ["Another page g", "page=3", "3"],
      ["## Seals", "page=3", "3"],
      ["next page, in ", "page=4", "4"],
      ["- a clamp", "page=5", "5"],
    ])
    expect(page.markdown).toContain("A seal goes on on the\nnext page, in the same sentence.")
    const passages = toPassages(page.markdown, page.anchors)
    expect(passages.map(({ anchor, page }) => [anchor, page])).toEqual([["page=1", "1–5"]])
  })

  it("has the page of each passage, even in a paragraph across pages or a word broken between two", async () => {
    const wide = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `word${from + at} of a paragraph that has no end on its page,`)
    const page = await read([
      { texts: lines([...wide(0, 14), "and its wa-"], 72, 740) },
      { texts: lines(["terfall, which is tall", ...wide(20, 40)], 72, 740) },
      { texts: lines(["also word60 of a paragraph", "that ends here."], 72, 740) },
    ])
    expect(page.markdown).toMatch(/and its waterfall,\nwhich is tall word20[^\n]*\nalso word60[^\n]* here\.$/)
    const passages = toPassages(page.markdown, page.anchors)
    const at = (word: string) => passages.find(({ text }) => text.includes(`${word} `))?.page
    expect(passages[0]).toMatchObject({ anchor: "page=1", page: "1" })
    expect(passages.some(({ page }) => page === "1–2")).toBe(true)
    expect([at("word40"), passages.at(-1)?.text.endsWith("here."), passages.at(-1)?.page]).toEqual([
      "2",
      true,
      "2–3",
    ])
    // The text and the boundaries of the passages are the same as for the paragraph on one line.
    expect(passages.map(({ text }) => text)).toEqual(
      toPassages(page.markdown.replaceAll("\n", " ")).map(({ text }) => text),
    )
  })

  it("names a page by its label, and links to its position in the file", async () => {
    const matters = ["Unpack the pump.", "Fill it.", "Start the motor.", "Watch the gauge.", "Stop."]
    const labelled = (nums: string, count: number) =>
      read(
        Array.from({ length: count }, (_, at) => ({ texts: lines([matters[at]!], 72, 700) })),
        { catalogue: `/PageLabels << /Nums [${nums}] >>` },
      )
    const placesOf = ({ anchors = [] }: Awaited<ReturnType<typeof read>>) =>
      anchors.map(([, fragment, label]) => `${fragment} ${label}`)
    const book = await labelled("0 << /S /r >> 2 << /S /D >> 4 << /S /D /P (A-) /St 7 >>", 5)
    expect(placesOf(book)).toEqual(["page=1 i", "page=2 ii", "page=3 1", "page=4 2", "page=5 A-7"])
    // A label with only a prefix, an empty label, one that no reader could see, and one longer than any number.
    const odd = await labelled(
      `0 << /P (Cover) >> 1 << >> 2 << /P (\\001\\002) >> 3 << /P (${"x".repeat(300)}) >>`,
      4,
    )
    expect(placesOf(odd)).toEqual(["page=1 Cover", "page=2 2", "page=3 3", "page=4 4"])
    const broken = await read([{ texts: lines(matters, 72, 700) }], { catalogue: "/PageLabels 999 0 R" })
    expect(placesOf(broken)).toEqual(["page=1 1"])
  })

  it("takes headings from the bookmarks when font sizes show nothing", async () => {
    const page = await read(
      [
        {
          texts: [
            ...lines(["1.2 Safety first"], 72, 700),
            ...lines(["Pull the plug before anything is opened, and wait for a minute or two."], 72, 660),
          ],
        },
      ],
      { outline: ["Safety first"], title: "Pumps" },
    )
    expect(page.markdown).toMatch(/^# 1\.2 Safety first\n\nPull the plug/)
  })

  it("keeps tables and links", async () => {
    const row = (y: number, cells: readonly string[]) =>
      cells.map((text, at) => ({ x: 72 + at * 150, y, text }))
    const page = await read([
      {
        texts: [
          ...row(700, ["Part", "Price"]),
          ...row(685, ["Hose", "4"]),
          ...row(670, ["Clamp", "2"]),
          { x: 72, y: 600, text: "All parts are on our website for you to see." },
        ],
        links: [{ url: "https://pumps.example/parts", rect: [145, 596, 195, 612] }],
      },
    ])
    expect(page.markdown).toBe(
      "| Part | Price |\n| --- | --- |\n| Hose | 4 |\n| Clamp | 2 |\n\n" +
        "All parts are on [our website](https://pumps.example/parts) for you to see.",
    )
    expect(page.links).toEqual([{ url: "https://pumps.example/parts", text: "our website", nofollow: false }])
  })

  it("in two columns is read one column after the other, in whatever order it was written", async () => {
    const left = Array.from({ length: 8 }, (_, at) => `left line ${at} of the first column`)
    const right = Array.from({ length: 8 }, (_, at) => `right line ${at} of the other one`)
    const texts = left.flatMap((text, at) => [
      { x: 72, y: 700 - at * 13, text },
      { x: 330, y: 700 - at * 13, text: right[at]! },
    ])
    const { markdown } = await read([{ texts: [...texts] }])
    expect(markdown.replace(/\n+/g, " ")).toBe([...left, ...right].join(" "))
  })
})

describe("a PDF of many pages", () => {
  it("drops running headers, and a sentence continues across pages", async () => {
    const page = await read(
      [1, 2, 3, 4].map((number) => ({
        texts: [
          { x: 72, y: 760, text: "Pump manual, third edition", size: 9 },
          ...lines(
            [
              `This is what stands on page ${"abcd"[number - 1]} of the manual, and it is`,
              "long enough to be prose that",
            ],
            72,
            700,
          ),
          { x: 300, y: 30, text: `${number}`, size: 9 },
        ],
      })),
    )
    expect(page.markdown).not.toMatch(/third edition|\b[1-4]\b/)
    expect(page.markdown).toContain("page a of the manual")
  })

  it("is read up to its time limit, with a note", async () => {
    const pages = Array.from({ length: 50 }, () => ({ texts: lines(["Some words of this page."], 72, 700) }))
    const page = await read(pages, {}, 0)
    expect(page.note).toBe("the first 1 of 50 pages were read")
    expect(page.markdown).toBe("Some words of this page.")
  })
})

describe("metadata of a PDF", () => {
  it("comes from its properties", async () => {
    const texts = lines(["The pump stands on a level floor and its inlet is below the water."], 72, 700)
    expect(await read([{ texts }], { title: "Pump manual", author: "Ada Byron" })).toMatchObject({
      title: "Pump manual",
      author: "Ada Byron",
      publishedAt: new Date("2022-03-04T04:06:07Z"),
      language: "en",
    })
  })

  it("notes a missing text layer when there are only images", async () => {
    expect(await read([{ texts: [] }, { texts: [] }])).toMatchObject({
      markdown: "",
      note: "no text layer in its 2 pages",
    })
  })

  it("never runs embedded code", async () => {
    const catalogue = "/OpenAction << /S /JavaScript /JS (globalThis.ran = true) >>"
    const page = await read([{ texts: lines(["Harmless words."], 72, 700) }], { catalogue })
    expect(page.markdown).toBe("Harmless words.")
    expect("ran" in globalThis).toBe(false)
  })

  it("reports a password", async () => {
    const hash = "0".repeat(64)
    const trailer = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <${hash}> /U <${hash}> >> /ID [<${"1".repeat(32)}> <${"1".repeat(32)}>]`
    await expect(read([{ texts: [] }], { trailer })).rejects.toMatchObject({
      kind: "unsupported",
      message: "the file is password protected",
    })
  })
})
