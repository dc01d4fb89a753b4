import { execFile } from "node:child_process"
import { promisify } from "node:util"
import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
import { decodeText } from "./charset.ts"

const utf8 = (text: string) => Buffer.from(text)
const as = (text: string, encoding: string) => iconv.encode(text, encoding)
/** Text as written by a program that mistook UTF-8 for windows-1252. */
const twice = (text: string) => new TextDecoder("windows-1252").decode(utf8(text))
const filler = (bytes: number) => `<script>${"var a = 1; ".repeat(bytes / 11)}</script>`

describe("a page's charset", () => {
  test.each<[string, Buffer, string | null, string]>([
    ["x-cp1251", as("Маяк стоит на берегу", "windows-1251"), "x-cp1251", "Маяк стоит на берегу"],
    ["koi8", as("Маяк стоит на берегу", "koi8-r"), "koi8", "Маяк стоит на берегу"],
    ["logical", as("מגדלור על החוף", "iso-8859-8"), "logical", "מגדלור על החוף"],
    ["x-euc-jp", as("灯台は海の近く", "euc-jp"), "x-euc-jp", "灯台は海の近く"],
    [
      "iso-8859-9 with its quotes",
      as("“Türkiye’nin” 5 €", "windows-1254"),
      "iso-8859-9",
      "“Türkiye’nin” 5 €",
    ],
    ["ks_c_5601-1987, all syllables", as("햏힣 뷁 등대", "cp949"), "ks_c_5601-1987", "햏힣 뷁 등대"],
    ["big5-hkscs", as("燈塔喺邊度 㗎", "big5-hkscs"), "big5-hkscs", "燈塔喺邊度 㗎"],
    ["windows1251", as("Маяк", "windows-1251"), "windows1251", "Маяк"],
    ["ISO8859_2", as("žluťoučký kůň", "iso-8859-2"), "ISO8859_2", "žluťoučký kůň"],
    ["a label with blanks in quotes", as("Größe", "latin1"), ' "Latin1" ', "Größe"],
  ])("can be named %s in its header", (_, body, header, said) => {
    expect(decodeText(body, header)).toBe(said)
  })

  test.each<[string, string, string]>([
    ["behind the first 1,024 bytes", `${filler(3000)}<meta charset="shift_jis"><p>機関車の整備`, "shift_jis"],
    [
      "by http-equiv",
      `<meta content="text/html; charset=shift_jis" http-equiv="Content-Type"><p>機関車の整備`,
      "shift_jis",
    ],
    [
      "behind one in a comment",
      `<!-- <meta charset="koi8-r"> --><meta charset="euc-jp"><p>機関車の整備`,
      "euc-jp",
    ],
    [
      "behind one in a script further down",
      `${filler(1100)}<script>x = '<meta charset="koi8-r">'</script><meta charset=euc-jp><p>機関車の整備`,
      "euc-jp",
    ],
    ["in an XML declaration", `<?xml version='1.0' encoding='shift_jis'?><html><p>機関車の整備`, "shift_jis"],
    ["without quotes and with a slash", `<META charset=euc-jp/><p>機関車の整備`, "euc-jp"],
  ])("is found in <meta> %s", (_, html, encoding) => {
    expect(decodeText(as(html, encoding), null)).toBe(html)
  })

  test("is not taken from something that only looks like a declaration", () => {
    const body = (html: string) => decodeText(as(html, "latin1"), null)
    const attribute = `<p title="<meta charset=koi8-r>">Café`
    expect(body(attribute)).toBe(attribute)
    const other = `<meta name="description" content="text/html; charset=koi8-r"><p>Café`
    expect(body(other)).toBe(other)
    const late = `${filler(1100)}<textarea><meta charset=koi8-r></textarea><p>Café`
    expect(body(late)).toBe(late)
  })

  test("is not taken from a late <meta> that the bytes contradict", () => {
    const html = `${filler(1100)}<meta charset=euc-jp><p>Déjà vu à Málaga`
    expect(decodeText(as(html, "latin1"), null)).toBe(html)
  })

  test("is not taken from a <meta> quoted in plain text", () => {
    const text = "Write <meta charset=koi8-r> into the head. Très tôt."
    expect(decodeText(as(text, "latin1"), null, "text")).toBe(text)
  })

  test("is ISO-2022-JP, which looks like ASCII, when named or when its escape sequences appear", () => {
    const shifted = Buffer.from([0x1b, 0x24, 0x42, 0x45, 0x74, 0x42, 0x66, 0x1b, 0x28, 0x42])
    const meta = utf8("<meta charset=csISO2022JP><p>")
    expect(decodeText(Buffer.concat([meta, shifted]), null)).toBe(`${meta.toString()}灯台`)
    expect(decodeText(Buffer.concat([utf8("<p>"), shifted]), null)).toBe("<p>灯台")
    const colours = "<pre>\u001b[31mred\u001b[0m $B and (B</pre>"
    expect(decodeText(utf8(colours), null)).toBe(colours)
  })

  test("is UTF-8 when nearly all bytes are valid, despite a damaged character and no declaration", () => {
    const damaged = Buffer.concat([
      utf8("<p>Größe, Höhe und Übermaß</p>"),
      Buffer.from([0xe9]),
      utf8("<p>Lücke"),
    ])
    expect(decodeText(damaged, null)).toBe("<p>Größe, Höhe und Übermaß</p>\ufffd<p>Lücke")
    expect(decodeText(as("<p>Größe, Höhe und Übermaß", "latin1"), null)).toBe("<p>Größe, Höhe und Übermaß")
  })

  test("is UTF-16 without a byte order mark when every other byte shows it", () => {
    const html = "<!doctype html><p>Lighthouse, Žižkov</p>"
    expect(decodeText(as(html, "utf-16le"), "utf-16")).toBe(html)
    expect(decodeText(as(html, "utf-16be"), null)).toBe(html)
  })

  test("is never UTF-16 by <meta>, since the tag itself was read as bytes", () => {
    const html = "<meta charset=utf-16le><p>Žižkov"
    expect(decodeText(utf8(html), null)).toBe(html)
  })
})

describe("doubly encoded text", () => {
  test.each([
    ["apostrophes and quotes", "<p>We’re sure they don’t say “goodbye” – they wave…</p>"],
    ["one apostrophe", "<p>It’s quiet at the harbour.</p>"],
    ["French", "<p>Où est passé l’été ? À la plage, côté dune, près du théâtre de la Forêt.</p>"],
    ["German", "<p>Größe und Übermaß der Öfen für die Bäckerei in Köln</p>"],
    ["Polish", "<p>Zażółć gęślą jaźń, łódź płynie</p>"],
    ["Greek", "<p>Ο φάρος στέκεται στην ακτή</p>"],
    ["Japanese", "<p>灯台は海の近くに立つ</p>"],
    ["Turkish", "<p>Fenerin ışığı gemilere şöyle der: “Dönün, kıyı yakın!”</p>"],
    ["prices", "<p>A coffee is 2,50 € at the station and 3 £ in the café’s garden.</p>"],
  ])("is repaired: %s", (_, said) => {
    expect(decodeText(utf8(twice(said)), "utf-8")).toBe(said)
  })

  test("is repaired when Cyrillic was read as windows-1251", () => {
    const cyrillic = (text: string) => new TextDecoder("windows-1251").decode(utf8(text))
    const said = `<meta charset=utf-8><title>Маяк и порт</title><p>Он стоит на мысу – «виден» издалека, и <b>я</b> рядом.</p>`
    expect(decodeText(utf8(cyrillic(said)), null)).toBe(said)
    const template = "<p>Рёбра, Рівне, Сіль: общие слова страницы.</p>"
    expect(decodeText(utf8(template + cyrillic(said)), null)).toBe(
      template + said.replace("<b>я", `<b>${cyrillic("я")}`),
    )
    const talk = `<p>Если вместо «Маяк» видно ${cyrillic("Маяк")}, страницу в UTF-8 открыли не так.</p>`
    for (const fine of [template, talk, "<p>С°, Р№ 5 и С« на схеме</p>"])
      expect(decodeText(utf8(fine), null)).toBe(fine)
  })

  test("is repaired next to correct text, and when encoded three times", () => {
    const footer = "<footer>© Café Größe</footer>"
    const said = "<p>It’s where we don’t go.</p>"
    expect(decodeText(utf8(twice(said) + footer), null)).toBe(said + footer)
    expect(decodeText(utf8(twice(twice(said))), null)).toBe(said)
  })

  test.each([
    ["code", "<p>Where <code>â€™</code> stands for an apostrophe, weâ€™re looking at UTF-8.</p>"],
    ["a table of it", "<table><tr><td>â€™<td>’<tr><td>Ã©<td>é<tr><td>donâ€™t<td>don’t</table>"],
    ["quotes", '<p>The page says ‘â€œ’ for a quote, and "Ã¼" for ü, as in fÃ¼r and Ã¼ber.</p>'],
    [
      "the name of an encoding",
      "<p>Read as Windows-1252, don’t becomes donâ€™t and it’s becomes itâ€™s.</p>",
    ],
    ["its name", "<p>This is mojibake: donâ€™t, itâ€™s.</p>"],
  ])("stays when a page is about it: %s", (_, html) => {
    expect(decodeText(utf8(html), null)).toBe(html)
  })

  test("stays in a process where V8 no longer optimizes regular expressions", async () => {
    const module = JSON.stringify(new URL("./twice-encoded.ts", import.meta.url).href)
    const text = JSON.stringify("As Windows-1252, don’t becomes donâ€™t.")
    const program = `const { onceEncoded } = await import(${module}); process.stdout.write(onceEncoded(${text}))`
    const args = ["--no-regexp-optimization", "--input-type=module", "--eval", program]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.stringify(stdout)).toBe(text)
  })

  test.each([
    ["capitals before signs", "<p>“LIBERTÉ” et «ÉGALITÉ», la CAFÉ™ et la PÂTÉ®, À° et Ü…</p>"],
    ["Portuguese", "<p>“IRMÔ e “MANHÔ, SÃO JOÃO, “AMANHÃ”, CORAÇÃO…</p>"],
    ["Vietnamese and Romanian", "<p>TRÂN TRỌNG; MÂNĂ ŞI PÂINE; “ÎNTRÂ”</p>"],
    ["Icelandic", "<p>Ðað „ÞÐ“ og Ñ–Ð</p>"],
  ])("is not detected in correct text: %s", (_, html) => {
    expect(decodeText(utf8(html), null)).toBe(html)
  })
})

/** Each case with the kind of text and the header; the text contains the last string. */
const MORE: readonly (readonly [string, Buffer, string | null, "html" | "text", string])[] = [
  [
    "http-equiv behind styles",
    as(
      `<title>港の時刻表</title>${filler(3000)}<META CONTENT='text/html;charset=EUC-JP' HTTP-EQUIV='content-type'>`,
      "euc-jp",
    ),
    null,
    "html",
    "港の時刻表",
  ],
  [
    "<meta> behind a comment with another",
    as(`<!-- old: <meta charset="koi8-r"> --><meta charset=windows-1251><p>Пароход отходит`, "windows-1251"),
    null,
    "html",
    "Пароход отходит",
  ],
  [
    "ISO-2022-JP by its header",
    Buffer.from([0x3e, 0x1b, 0x24, 0x42, 0x45, 0x74, 0x42, 0x66, 0x1b, 0x28, 0x42]),
    "ISO-2022-JP",
    "html",
    ">灯台",
  ],
  ["a label in capitals", as("船便の案内", "shift_jis"), " X-SJIS ", "html", "船便の案内"],
  [
    "an XML declaration in single quotes",
    as(`<?xml version="1.0" encoding='ISO-8859-5' standalone="yes"?><html><p>Кабель у причала`, "iso-8859-5"),
    null,
    "html",
    "Кабель у причала",
  ],
  [
    "a body cut within a character",
    utf8("<p>Größe, Übergröße und Höhe – žluťoučký kůň, Ende ü").subarray(0, -1),
    null,
    "html",
    "Größe, Übergröße und Höhe – žluťoučký kůň",
  ],
  [
    "<meta> that a script writes",
    as(
      `${filler(1200)}<script>document.write('<meta charset=koi8-r>')</script><p>Déjà lu à Málaga`,
      "latin1",
    ),
    null,
    "html",
    "Déjà lu à Málaga",
  ],
  [
    "<meta> in a text",
    as("Put <meta charset=shift_jis> at the top, said René, très tôt.", "latin1"),
    null,
    "text",
    "said René, très tôt.",
  ],
  [
    "UTF-8 that was said and is nowhere",
    as("<meta charset=utf-8><p>Café René", "latin1"),
    "utf-8",
    "html",
    "Café René",
  ],
  [
    "twice: Spanish",
    utf8(twice("¿Dónde anida la cigüeña? En los tejados de Álava, según el señor Muñoz.")),
    null,
    "html",
    "¿Dónde anida la cigüeña? En los tejados de Álava, según el señor Muñoz.",
  ],
  [
    "twice: Russian with words of a letter",
    utf8(`<title>${twice("Маяк и порт")}</title><p>${twice("Я с моря, а он в порту")}`),
    null,
    "html",
    "Я с моря, а он в порту",
  ],
  [
    "twice: Vietnamese",
    utf8(twice("Việt Nam có nhiều hải đăng đẹp")),
    null,
    "html",
    "Việt Nam có nhiều hải đăng đẹp",
  ],
  [
    "three times: English",
    utf8(twice(twice("We’re open; they don’t close “early” – ever."))),
    null,
    "html",
    "We’re open; they don’t close “early” – ever.",
  ],
  [
    "twice, in a page on it",
    utf8("<p>If <code>cafÃ©</code> shows up where café was meant: resumÃ© and dÃ©jÃ  vu are two more."),
    null,
    "html",
    "resumÃ© and dÃ©jÃ  vu",
  ],
  [
    "capitals before marks",
    utf8("«LIBERTÉ», “ÉGALITÉ”, MONTÉ™ et CAFÉ® : Ü… et IRMÃ” foi, l’été »."),
    null,
    "html",
    "«LIBERTÉ», “ÉGALITÉ”, MONTÉ™ et CAFÉ® : Ü… et IRMÃ” foi, l’été ».",
  ],
]

test.each(MORE)("text is decoded correctly: %s", (_, body, header, kind, said) => {
  expect(decodeText(body, header, kind)).toContain(said)
})
