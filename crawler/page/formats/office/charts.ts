import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { readXml } from "../archive/xml.ts"
import { zipNames } from "../archive/zip.ts"
import { LEAST_POINTS } from "./cell-ink.ts"
import { readRelationships } from "./relationships.ts"

/** The limits for one chart. */
const MAX_WORDS = 200
const MAX_CHARS = 4000

/**
 * The words of a chart (ECMA-376 part 1 §21.2): its title first, then the titles of its axes and the names of its series and
 * categories. Figures are left out.
 */
export function chartText(xml: Uint8Array | null): string {
  const titles: string[] = []
  const words = new Set<string>()
  const open: string[] = []
  let title = ""
  readXml(xml, {
    start(name) {
      open.push(name)
    },
    end(name, text) {
      open.pop()
      if (name === "t" && open.includes("title")) title += text
      else if (name === "title") {
        if (title.trim() !== "") titles.push(title.trim())
        title = ""
      } else if (name === "v" && words.size < MAX_WORDS && !open.includes("title"))
        if (open.includes("tx") || (open.includes("cat") && !open.includes("numCache")))
          words.add(text.trim())
    },
  })
  const rest = [...titles.slice(1), ...words].filter((word) => word !== "").join(", ")
  const first = titles[0] ?? ""
  return (first === "" || rest === "" ? first + rest : `${first}: ${rest}`).slice(0, MAX_CHARS)
}

/** The text of the shapes on a sheet (§20.5), one block per shape. Hidden shapes, tiny letters, and white letters without a fill are left out. */
export function drawnTexts(xml: Uint8Array | null): string[] {
  const blocks: string[] = []
  let block = ""
  let isHidden = false
  let isFilled = false
  let isUnseen = false
  let part = ""
  readXml(xml, {
    start(name, attributes) {
      if (name === "sp") {
        isHidden = isFilled = isUnseen = false
        block = ""
      } else if (name === "cNvPr") isHidden = /^(?:1|true)$/.test(attributes["hidden"] ?? "")
      else if (/^(?:spPr|style|txBody|ln)$/.test(name)) part = name
      else if (part === "spPr" && /^(?:solid|grad|patt|blip)Fill$/.test(name)) isFilled = true
      else if (part === "style" && name === "fillRef") isFilled ||= attributes["idx"] !== "0"
      else if (name === "rPr") isUnseen = Number(attributes["sz"] ?? LEAST_SIZE) < LEAST_SIZE
      else if (part === "txBody" && !isFilled && isWhite(name, attributes)) isUnseen = true
    },
    end(name, text) {
      if (name === "ln") part = "spPr"
      else if (name === "t" && !isUnseen) block += text
      else if (name === "r") isUnseen = false
      else if (name === "p") block += " "
      else if (name === "sp" && !isHidden && block.trim() !== "") blocks.push(escapeText(block).trim())
    },
  })
  return blocks
}

/** The smallest readable font size, in hundredths of a point. */
const LEAST_SIZE = LEAST_POINTS * 100

const isWhite = (name: string, { val = "" }: Readonly<Record<string, string>>): boolean =>
  (name === "srgbClr" && /^f[4-9a-f]f[4-9a-f]f[4-9a-f]$/i.test(val)) ||
  (name === "schemeClr" && /^(?:bg1|lt1)$/.test(val))

const PARTS = {
  docx: /^word\/document\d*\.xml$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
}
const CHARTS = /^(?:word|ppt)\/charts\/chart[^/]*\.xml$/
/** Elements that can contain a chart. */
const FRAMES = { docx: "w:drawing", pptx: "p:graphicFrame" }

/**
 * A document with each chart replaced by its words, because the library that reads the document skips charts. Words of
 * hidden charts are included too; the removal of unseen text takes them out.
 */
export function withChartTexts(format: "docx" | "pptx", body: Uint8Array): Uint8Array {
  if (zipNames(body)?.some((name) => CHARTS.test(name)) !== true) return body
  const parts = PARTS[format]
  const files = unzipSync(body)
  const bytes = (name: string) => files[name] ?? null
  const changed: Record<string, Uint8Array> = {}
  for (const [name, part] of Object.entries(files)) {
    if (!parts.test(name)) continue
    const targets = readRelationships({ bytes }, name)
    const textOf = (id: string) => {
      const chart = targets.get(id) ?? ""
      return chartText(CHARTS.test(chart) ? bytes(chart) : null).replace(
        /[<>&]/g,
        (sign) => `&#${sign.codePointAt(0)};`,
      )
    }
    const pieces = strFromU8(part).split(new RegExp(`(?=<${FRAMES[format]}[\\s>])`))
    changed[name] = strToU8(pieces.map((piece) => withWords(format, piece, textOf)).join(""))
  }
  return zipSync({ ...files, ...changed }, { level: 0 })
}

/** A piece of the document that starts with a frame, with the frame replaced by its chart's words. */
function withWords(format: "docx" | "pptx", piece: string, textOf: (id: string) => string): string {
  const close = `</${FRAMES[format]}>`
  const end = piece.startsWith(`<${FRAMES[format]}`) ? piece.indexOf(close) : -1
  const frame = piece.slice(0, Math.max(end, 0))
  const id = /<c:chart\s[^>]*r:id="([^"]+)"/.exec(frame)?.[1]
  const text = id === undefined ? "" : textOf(id)
  if (text === "") return piece
  const rest = piece.slice(end + close.length)
  if (format === "docx") return `<w:t xml:space="preserve">${text}</w:t>${rest}`
  const name = /<p:cNvPr\s[^>]*>/.exec(frame)?.[0].replace(/\/?>$/, "/>") ?? ""
  const place = /<p:xfrm[^]*?<\/p:xfrm>/.exec(frame)?.[0].replaceAll("p:xfrm", "a:xfrm") ?? ""
  return `<p:sp><p:nvSpPr>${name}<p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>${place}</p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>${rest}`
}
