import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { readXml } from "../archive/xml.ts"

/** Of one chart. */
const MAX_WORDS = 200
const MAX_CHARS = 4000

/**
 * What is written in a chart (ECMA-376 part 1 §21.2): its title first, then the titles of its axes, the names of its series and what they are of.
 * Figures are left to the picture.
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

/** Text of shapes that lie on a sheet, a block for each (§20.5), without hidden ones and letters that are white or tiny on nothing. */
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

/** In hundredths of a point. */
const LEAST_SIZE = 200

const isWhite = (name: string, { val = "" }: Readonly<Record<string, string>>): boolean =>
  (name === "srgbClr" && /^f[4-9a-f]f[4-9a-f]f[4-9a-f]$/i.test(val)) ||
  (name === "schemeClr" && /^(?:bg1|lt1)$/.test(val))

const PARTS = {
  docx: /^word\/document\d*\.xml$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
}
const CHARTS = /^(?:word|ppt)\/charts\/chart[^/]*\.xml$/
/** What a chart is placed with. */
const FRAMES = { docx: "w:drawing", pptx: "p:graphicFrame" }

/**
 * A document whose charts are the words that are in them, where the charts are: the library that reads it passes over charts. Whether they are seen is
 * for those to tell who take out what is not.
 */
export function withChartTexts(format: "docx" | "pptx", body: Uint8Array): Uint8Array {
  const parts = PARTS[format]
  const files = unzipSync(body, {
    filter: ({ name }) => parts.test(name) || CHARTS.test(name) || /\/_rels\/[^/]+\.rels$/.test(name),
  })
  if (!Object.keys(files).some((name) => CHARTS.test(name))) return body
  const changed: Record<string, Uint8Array> = {}
  for (const [name, bytes] of Object.entries(files)) {
    if (!parts.test(name)) continue
    const slash = name.lastIndexOf("/")
    const targets = targetsIn(files[`${name.slice(0, slash)}/_rels/${name.slice(slash + 1)}.rels`] ?? null)
    const textOf = (id: string) => {
      const chart = `${name.split("/")[0]}/charts/${targets.get(id)?.split("/").at(-1)}`
      return chartText(files[chart] ?? null).replace(/[<>&]/g, (sign) => `&#${sign.codePointAt(0)};`)
    }
    const pieces = strFromU8(bytes).split(new RegExp(`(?=<${FRAMES[format]}[\\s>])`))
    changed[name] = strToU8(pieces.map((piece) => withWords(format, piece, textOf)).join(""))
  }
  return zipSync({ ...unzipSync(body), ...changed }, { level: 0 })
}

/** The frame that a piece begins with, as its chart's words. */
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

function targetsIn(rels: Uint8Array | null): Map<string, string> {
  const targets = new Map<string, string>()
  readXml(rels, {
    start(name, { Id: id = "", Target: target = "" }) {
      if (name === "Relationship") targets.set(id, target)
    },
  })
  return targets
}
