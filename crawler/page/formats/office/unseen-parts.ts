import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"

/** Letters of fewer half points than this are read by nobody. */
const LEAST_HALF_POINTS = 4
/** Letters of fewer hundredths of a point than this, on slides. */
const LEAST_HUNDREDTHS = 200
const WORD_TEXT = /^word\/(?:document\d*|footnotes|endnotes)\.xml$/
const SLIDE = /^ppt\/slides\/slide\d+\.xml$/
/** Signs that a part may hold something to take out: without any, the file is read as it is. */
const WORD_SIGNS = /<w:(?:vanish|specVanish|del|moveFrom)[\s/>]|w:val="(?:FFFFFF|white)"|<w:sz w:val="[0-3]"/i
const SLIDE_SIGNS = /\sshow="(?:0|false)"|\shidden="(?:1|true)"|\ssz="[01]?\d{1,2}"|<a:off\s/

/**
 * A Word document or a presentation without what no reader sees: text marked as hidden (ECMA-376 part 1 §17.3.2.41), deleted or
 * moved away under track changes, white on nothing, tiny; hidden slides, hidden shapes and those beside the slide.
 */
export function withoutUnseenParts(format: "docx" | "pptx", body: Uint8Array): Uint8Array {
  const wanted = format === "docx" ? /^word\/styles\.xml$/ : /^ppt\/presentation\.xml$/
  const parts = format === "docx" ? WORD_TEXT : SLIDE
  const files = unzipSync(body, { filter: ({ name }) => wanted.test(name) || parts.test(name) })
  const hidden = format === "docx" ? hiddenStyles(files["word/styles.xml"]) : new Set<string>()
  const slide = format === "pptx" ? slideSize(files["ppt/presentation.xml"]) : null
  const changed: Record<string, Uint8Array> = {}
  for (const [name, bytes] of Object.entries(files)) {
    const isWord = format === "docx"
    if (!parts.test(name)) continue
    const xml = strFromU8(bytes)
    if (!(isWord ? hidden.size > 0 || WORD_SIGNS.test(xml) : SLIDE_SIGNS.test(xml))) continue
    const kept = isWord ? withoutHiddenText(xml, hidden) : withoutHiddenShapes(xml, slide)
    if (kept !== xml) changed[name] = strToU8(kept)
  }
  return Object.keys(changed).length === 0 ? body : zipSync({ ...unzipSync(body), ...changed }, { level: 0 })
}

/** Ids of styles whose text is hidden. */
function hiddenStyles(bytes: Uint8Array | undefined): Set<string> {
  const ids = new Set<string>()
  for (const style of bytes === undefined ? [] : strFromU8(bytes).split(/(?=<w:style\s)/)) {
    const id = /w:styleId="([^"]*)"/.exec(style)?.[1]
    if (id !== undefined && isVanished(style)) ids.add(id)
  }
  return ids
}

const isVanished = (properties: string): boolean =>
  /<w:(?:vanish|specVanish)(?:\s*\/>|\s+w:val="(?:1|true|on)")/.test(properties)

/** Empties the texts of runs that are not seen; runs are cut at their starts, since text boxes put runs inside of runs. */
function withoutHiddenText(xml: string, hiddenIds: ReadonlySet<string>): string {
  let removed = 0
  let tables = 0
  let hasGround = false
  let isParagraphHidden = false
  let out = ""
  for (const piece of xml.split(/(?=<w:(?:r|p|tbl|del|moveFrom)[\s>]|<\/w:(?:tbl|del|moveFrom|p)>)/)) {
    if (/^<w:(?:del|moveFrom)[\s>]/.test(piece) && !/^<w:\w+[^>]*\/>/.test(piece)) removed += 1
    else if (/^<\/w:(?:del|moveFrom)>/.test(piece)) removed = Math.max(0, removed - 1)
    else if (/^<w:tbl[\s>]/.test(piece)) tables += 1
    else if (piece.startsWith("</w:tbl>")) tables = Math.max(0, tables - 1)
    else if (/^<w:p[\s>]/.test(piece)) {
      hasGround = isShaded(piece)
      isParagraphHidden = hiddenIds.has(/<w:pStyle w:val="([^"]*)"/.exec(piece)?.[1] ?? "")
    }
    const run = /^<w:r[\s>]/.test(piece) ? between(piece, "<w:rPr>", "</w:rPr>") : ""
    const isUnseen =
      removed > 0 ||
      isParagraphHidden ||
      isVanished(run) ||
      hiddenIds.has(/<w:rStyle w:val="([^"]*)"/.exec(run)?.[1] ?? "") ||
      Number(/<w:sz w:val="(\d+)"/.exec(run)?.[1] ?? LEAST_HALF_POINTS) < LEAST_HALF_POINTS ||
      // Tables have grounds of many makings, styles among them.
      (/<w:color w:val="(?:FFFFFF|white)"/i.test(run) && tables === 0 && !hasGround && !isShaded(run))
    out += isUnseen ? piece.replace(/<w:(t|delText)(\s[^>]*)?>[^<]*<\/w:\1>/g, "") : piece
  }
  return out
}

const isShaded = (properties: string): boolean =>
  /<w:shd\s[^>]*w:fill="(?!auto|FFFFFF)[^"]*"/i.test(properties) || /<w:highlight\s/.test(properties)

/** Width and height of slides, in EMU. */
function slideSize(bytes: Uint8Array | undefined): { readonly x: number; readonly y: number } | null {
  const found = bytes === undefined ? null : /<p:sldSz\s[^>]*>/.exec(strFromU8(bytes))?.[0]
  const side = (name: string) => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(found ?? "")?.[1])
  return found === null || Number.isNaN(side("cx") + side("cy")) ? null : { x: side("cx"), y: side("cy") }
}

function withoutHiddenShapes(xml: string, slide: { readonly x: number; readonly y: number } | null): string {
  const isHidden = /<p:sld(?=\s)[^>]*\sshow="(?:0|false)"/.test(xml)
  return xml
    .split(/(?=<p:(?:sp|graphicFrame)[\s>])/)
    .map((piece, at) => {
      const isShape = at > 0
      const isAway =
        isShape && (/<p:cNvPr(?=\s)[^>]*\shidden="(?:1|true)"/.test(piece) || isBeside(piece, slide))
      if (isHidden || isAway) return piece.replace(/<a:t(\s[^>]*)?>[^<]*<\/a:t>/g, "")
      return piece
        .split(/(?=<a:(?:r|fld)[\s>])/)
        .map(withoutTiny)
        .join("")
    })
    .join("")
}

function withoutTiny(run: string): string {
  const size = Number(
    /^<a:rPr\s[^>]*?\bsz="(\d+)"/.exec(run.slice(run.indexOf("<a:rPr ")))?.[1] ?? LEAST_HUNDREDTHS,
  )
  return size < LEAST_HUNDREDTHS ? run.replace(/<a:t(\s[^>]*)?>[^<]*<\/a:t>/, "") : run
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  const end = start === -1 ? -1 : text.indexOf(to, start)
  return end === -1 ? "" : text.slice(start, end)
}

/** Whether a shape lies wholly beside the slide. */
function isBeside(shape: string, slide: { readonly x: number; readonly y: number } | null): boolean {
  const place = /<a:off\s[^>]*>/.exec(shape)?.[0]
  const size = /<a:ext\s[^>]*c[xy]=[^>]*>/.exec(shape)?.[0]
  if (place === undefined || size === undefined) return false
  const value = (text: string, name: string) =>
    Number(new RegExp(`\\s${name}="(-?\\d+)"`).exec(text)?.[1] ?? 0)
  const [x, y] = [value(place, "x"), value(place, "y")]
  return (
    x + value(size, "cx") <= 0 ||
    y + value(size, "cy") <= 0 ||
    (slide !== null && (x >= slide.x || y >= slide.y))
  )
}
