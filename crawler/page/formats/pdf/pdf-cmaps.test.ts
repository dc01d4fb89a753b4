import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import { eastAsianFont, pdfInFont, streamObject } from "../../../testing/pdf-file.ts"
import { readDocument } from "../read-document.ts"

const read = (body: Uint8Array) => readDocument("pdf", body, "https://x.example/file.pdf", 10_000)

const hex = (text: string, encoding: string) => iconv.encode(text, encoding).toString("hex")

describe("characters mapped by predefined CMaps that the file does not embed", () => {
  it.each([
    ["UniJIS-UCS2-H", "Japan1", "utf16-be", "山頂の天気は午後から変わります"],
    ["UniJIS-UTF16-H", "Japan1", "utf16-be", "𠮷野家の角を左に曲がる"],
    ["90msp-RKSJ-H", "Japan1", "shift_jis", "ｶﾀｶﾅと Kanji が混ざる 2026 年"],
    ["GBK-EUC-H", "GB1", "gbk", "灯塔的检修在每月第一个星期一进行"],
    ["ETen-B5-H", "CNS1", "big5", "燈塔的檢修於每月第一個星期一進行"],
    ["KSCms-UHC-H", "Korea1", "cp949", "등대 점검은 매월 첫째 월요일에 합니다"],
    ["90ms-RKSJ-V", "Japan1", "shift_jis", "春はあけぼの。やうやう白くなりゆく"],
    ["UniGB-UTF16-H", "GB1", "utf16-be", "渡轮时刻表每季度更新一次"],
    ["UniCNS-UTF16-H", "CNS1", "utf16-be", "渡輪時刻表每季更新一次"],
    ["UniKS-UTF16-H", "Korea1", "utf16-be", "연락선 시간표는 분기마다 바뀝니다"],
    ["UniJIS-UTF8-H", "Japan1", "utf8", "連絡船の時刻表は季節ごとに変わります"],
    ["HKscs-B5-H", "CNS1", "big5", "天星小輪的班次"],
    ["GBK2K-H", "GB1", "gb18030", "潮水每天推迟五十分钟"],
  ])("%s", async (table, ordering, encoding, text) => {
    const { markdown, note } = await read(pdfInFont(eastAsianFont(ordering, table), [hex(text, encoding)]))
    expect(markdown).toBe(text)
    expect(note).toBeUndefined()
  })

  it.each([
    [
      "of the collection",
      "/Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Type /Font\n/Subtype /CIDFontType0 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 >>]",
    ],
    [
      "at all",
      "/Subtype /Type0 /Encoding /90ms-RKSJ-H /DescendantFonts [<</Type/Font/Subtype/CIDFontType0/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 10 0 R>>]",
    ],
  ])("are read in a font without a name %s", async (_, font) => {
    const objects = ["<< /Type /FontDescriptor /Flags 4 /FontBBox [0 0 9 9] /ItalicAngle 0 /StemV 8 >>"]
    const { markdown } = await read(pdfInFont({ font, objects }, [hex("灯台の点検", "shift_jis")]))
    expect(markdown).toBe("灯台の点検")
  })

  it("are read in vertical columns, from right to left", async () => {
    const text = ["吾輩は猫である。名前はまだ無い。", "どこで生れたかとんと見当がつかぬ。"]
    const program = text.map((one) => hex(one, "euc-jp"))
    const page = await read(pdfInFont(eastAsianFont("Japan1", "EUC-V"), program))
    expect(page.markdown.replace(/\s/g, "")).toBe(text.join(""))
  })

  it("are read when an embedded CMap builds on a predefined one", async () => {
    const own = streamObject(
      [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        "/UniGB-UCS2-H usecmap",
        "/CMapName /Own def /CMapType 1 def",
        "1 begincodespacerange <0000> <ffff> endcodespacerange",
        "endcmap CMapName currentdict /CMap defineresource pop end end",
      ].join("\n"),
      "/Type /CMap /CMapName /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /UseCMap /UniGB-UCS2-H",
    )
    const font = eastAsianFont("GB1", "12 0 R")
    const { markdown } = await read(
      pdfInFont({ ...font, objects: [...font.objects!, own] }, [hex("潮汐表请在港口办公室领取", "utf16-be")]),
    )
    expect(markdown).toBe("潮汐表请在港口办公室领取")
  })

  it("are read by their numbers in the character collection", async () => {
    const { markdown } = await read(pdfInFont(eastAsianFont("Japan1", "Identity-H"), ["034b034d034f"]))
    expect(markdown).toBe("あいう")
  })

  it("are read when the file's Unicode map is only a name", async () => {
    const font = eastAsianFont("Japan1", "UniJIS-UTF16-V", "/ToUnicode /Identity-V")
    expect((await read(pdfInFont(font, [hex("港の朝", "utf16-be")]))).markdown).toBe("港の朝")
  })
})
