import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { docx, epub, openDocument, pptx, wordParagraph, xlsx } from "../../testing/documents.ts"
import { lines, pdf } from "../../testing/pdf-file.ts"
import { flatPicture } from "../../testing/pictures.ts"
import { isReadableType } from "../content-type.ts"
import { type DocumentFormat, formatOfAddress, formatOfType } from "./document-format.ts"
import { readDocument } from "./read-document.ts"
import { FORMATS } from "./registry.ts"
import { sniffDocument } from "./sniff-document.ts"

const WORDS = "A pump for plain words"

const plainPicture = await flatPicture(640, 480)

/** A file of each kind. When you add a kind, add a file here. */
const FILES: Readonly<Record<DocumentFormat, () => Uint8Array>> = {
  pdf: () => pdf([{ texts: lines([WORDS], 72, 700) }]),
  rtf: () => new Uint8Array(Buffer.from(String.raw`{\rtf1 ${WORDS}}`)),
  epub: () => epub([`<p>${WORDS}</p>`]),
  docx: () => docx(wordParagraph(WORDS)),
  pptx: () => pptx([{ title: WORDS, bullets: ["more"] }]),
  xlsx: () => xlsx({ Sheet1: [[WORDS, 1]] }),
  odt: () => openDocument("text", `<text:p>${WORDS}</text:p>`),
  odp: () =>
    openDocument(
      "presentation",
      `<draw:page><draw:frame><draw:text-box><text:p>${WORDS}</text:p></draw:text-box></draw:frame></draw:page>`,
    ),
  ods: () =>
    openDocument(
      "spreadsheet",
      `<table:table table:name="a"><table:table-row><table:table-cell office:value-type="string"><text:p>${WORDS}</text:p></table:table-cell></table:table-row></table:table>`,
    ),
  // Until a picture's text is recognised, its name is its only text.
  picture: () => plainPicture,
}

describe.each(FORMATS.map((format) => [format.name, format] as const))("%s", (name, format) => {
  test("is recognised by its bytes, whatever its name, and read", async () => {
    const body = FILES[name]()
    expect(sniffDocument("application/octet-stream", body, "https://x.example/")).toEqual({
      kind: "document",
      format: name,
    })
    const address = `https://x.example/${encodeURIComponent(name === "picture" ? WORDS : "a")}`
    const { title, markdown } = await readDocument(name, body, address, 10_000)
    expect(`${title} ${markdown}`).toContain(WORDS)
  })

  test("is downloaded by each of its types, and by its extensions when the server's type is generic", () => {
    for (const type of format.types) {
      expect(formatOfType(type)).toBe(name)
      expect(isReadableType(type, "https://x.example/")).toBe(true)
    }
    for (const ending of format.extensions) {
      const url = `https://x.example/a.${ending.toUpperCase()}`
      expect(formatOfAddress(url)).toBe(name)
      expect(isReadableType("application/zip", url)).toBe(true)
      expect(isReadableType("application/zip", "https://x.example/a")).toBe(false)
    }
  })
})

test("every format has its file, and no two claim the same type or extension", () => {
  const files = readdirSync(join(import.meta.dirname, "kinds"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.replace(".ts", ""))
  expect(files.toSorted()).toEqual(FORMATS.map(({ name }) => name).toSorted())
  for (const key of ["types", "extensions"] as const) {
    const claimed = FORMATS.flatMap((format) => format[key])
    expect(claimed).toEqual([...new Set(claimed)])
    expect(claimed).toEqual(claimed.map((one) => one.toLowerCase()))
  }
})

test("listing the formats loads none of their readers", async () => {
  const watch = (module: string) => `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(${JSON.stringify(module)})
    console.log(JSON.stringify(loaded))`
  const loadedWith = async (path: string) => {
    const module = new URL(path, import.meta.url).href
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      watch(module),
    ])
    return JSON.parse(stdout) as string[]
  }
  const READERS = /unpdf|officeparser|\/sharp\/|\/(?:pdf|office)\/|epub\.ts|workbook/
  const readers = (loaded: string[]) => loaded.filter((url) => READERS.test(url) && !url.includes("/kinds/"))
  const known = await loadedWith("../content-type.ts")
  expect(known).toContainEqual(expect.stringContaining("/kinds/pdf.ts"))
  expect(readers(known)).toEqual([])
  expect(readers(await loadedWith("./pdf/pdf.ts"))).not.toEqual([])
})
