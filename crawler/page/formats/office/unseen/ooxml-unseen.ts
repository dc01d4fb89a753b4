import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { type Color, colorOf } from "../../../extract/seen/colors.ts"
import { isUnreadable } from "./painted.ts"
import { slideFacts, withoutUnseenShapes } from "./slide-unseen.ts"

/** Letters smaller than this, in half points, cannot be read. */
const LEAST_HALF_POINTS = 4
const WORD_TEXT = /^word\/(?:document\d*|footnotes|endnotes)\.xml$/
const HIDDEN_SLIDE = /<p:sld(?=\s)[^>]*\sshow="(?:0|false)"/
const SLIDE = /^ppt\/slides\/slide\d+\.xml$/
/** Strings that indicate something to remove: a part without any of them is read unchanged. */
const WORD_SIGNS =
  /<w:(?:vanish|specVanish|hidden|del|moveFrom|framePr|color|ruby)[\s/>]|<w:sz w:val="[0-3]"|<v:[^>]*visibility:\s*hidden/i
const SLIDE_SIGNS =
  /\sshow="(?:0|false)"|\shidden="(?:1|true)"|\ssz="[01]?\d{1,2}"|<a:off\s|<a:rPr[^>]*>\s*(?:<a:ln[^]*?<\/a:ln>)?<a:(?:solidFill|noFill)/

/**
 * Removes from a Word document or a presentation the parts that no reader sees: text marked as hidden (ECMA-376 part 1
 * §17.3.2.41), deleted or moved away under track changes, white on white, or tiny; hidden slides with their notes;
 * hidden shapes and shapes outside the slide.
 */
export function withoutUnseenParts(format: "docx" | "pptx", body: Uint8Array): Uint8Array {
  const isWord = format === "docx"
  const wanted = isWord
    ? /^word\/styles\.xml$/
    : /^ppt\/(?:presentation\.xml|theme\/theme1\.xml|slide(?:Masters|Layouts)\/[^/]+\.xml|slides\/_rels\/[^/]+)$/
  const parts = isWord ? WORD_TEXT : SLIDE
  const files = unzipSync(body, { filter: ({ name }) => wanted.test(name) || parts.test(name) })
  const text = (name: string) => (files[name] === undefined ? "" : strFromU8(files[name]))
  const hidden = isWord ? hiddenStyles(text("word/styles.xml")) : new Set<string>()
  const masters = Object.keys(files).filter((name) => /slide(?:Masters|Layouts)/.test(name))
  const slides = isWord
    ? null
    : slideFacts(text("ppt/presentation.xml"), text("ppt/theme/theme1.xml"), masters.map(text))
  const changed: Record<string, Uint8Array> = {}
  const notes: string[] = []
  for (const [name, bytes] of Object.entries(files)) {
    if (!parts.test(name)) continue
    const xml = strFromU8(bytes)
    if (!(isWord ? hidden.size > 0 || WORD_SIGNS.test(xml) : SLIDE_SIGNS.test(xml))) continue
    const kept =
      slides === null ? withoutHiddenText(withoutReadings(xml), hidden) : withoutUnseenShapes(xml, slides)
    if (kept !== xml) changed[name] = strToU8(kept)
    if (HIDDEN_SLIDE.test(xml)) notes.push(...notesOf(text(relationsOf(name))))
  }
  if (Object.keys(changed).length === 0) return body
  const all = { ...unzipSync(body), ...changed }
  for (const name of notes) if (all[name]) all[name] = strToU8(strFromU8(all[name]).replaceAll(TEXT, ""))
  return zipSync(all, { level: 0 })
}

const TEXT = /<a:t>[^<]*<\/a:t>/g
const NOTES = /"(?:\.\.|\/ppt)\/(notesSlides\/[^"/]+\.xml)"/g

const relationsOf = (slide: string): string => slide.replace(/[^/]+$/, "_rels/$&.rels")

/** The parts with the speaker's notes, from a slide's relationships. */
const notesOf = (relations: string): string[] =>
  Array.from(relations.matchAll(NOTES), ([, name]) => `ppt/${name!}`)

/** Replaces words and the reading above them with the words alone, since the library skips both (§17.3.3.25). */
function withoutReadings(xml: string): string {
  return xml
    .split(/(?=<w:ruby>)/)
    .map((piece) => {
      const [base, end] = [piece.indexOf("<w:rubyBase>"), piece.indexOf("</w:ruby>")]
      if (!piece.startsWith("<w:ruby>") || base === -1 || end < base) return piece
      const words = piece.slice(base + "<w:rubyBase>".length, end).replace("</w:rubyBase>", "")
      return `</w:r>${words}<w:r>${piece.slice(end + "</w:ruby>".length)}`
    })
    .join("")
}

/** Ids of styles whose text is hidden, by their own settings or by a style they are based on. */
function hiddenStyles(xml: string): Set<string> {
  const styles = new Map<string, { readonly isHidden: boolean | null; readonly base: string | undefined }>()
  for (const style of xml.split(/(?=<w:style\s)/)) {
    const id = /w:styleId="([^"]*)"/.exec(style)?.[1]
    const isHidden = isVanished(style) ? true : /<w:vanish\s/.test(style) ? false : null
    if (id !== undefined) styles.set(id, { isHidden, base: /<w:basedOn w:val="([^"]*)"/.exec(style)?.[1] })
  }
  const ids = new Set<string>()
  for (const id of styles.keys()) {
    let at: string | undefined = id
    for (let steps = 0; at !== undefined && steps < MAX_BASES; steps++) {
      const style = styles.get(at)
      if (style?.isHidden === true) ids.add(id)
      at = style === undefined || style.isHidden !== null ? undefined : style.base
    }
  }
  return ids
}

const MAX_BASES = 20

const isVanished = (properties: string): boolean =>
  /<w:(?:vanish|specVanish)(?:\s*\/>|\s+w:val="(?:1|true|on)")/.test(properties)

/** Empties the text of unseen runs. Runs are handled from one start tag to the next, since text boxes nest runs inside runs. */
function withoutHiddenText(xml: string, hiddenIds: ReadonlySet<string>): string {
  let removed = 0
  let tables = 0
  /** Open drawn shapes, each with the properties of the run around it. */
  const shapes: { readonly isHidden: boolean; readonly run: string }[] = []
  let hiddenShapes = 0
  let run = ""
  let isRowHidden = false
  let isParagraphHidden = false
  /** The backgrounds of cells and of the paragraph; undefined when not set. */
  let cell: Color | null | undefined
  let ground: Color | null | undefined
  let out = ""
  for (const piece of xml.split(
    /(?=<w:(?:r|p|tbl|tr|tc|del|moveFrom)[\s>]|<\/w:(?:tbl|tr|del|moveFrom|p)>|<\/?v:(?:shape|rect|roundrect|oval|group)[\s>])/,
  )) {
    const isShape = /^<\/?v:/.test(piece)
    if (/^<v:[^>]*[^/]>/.test(piece)) {
      const isHidden = /^<v:[^>]*\sstyle="[^"]*visibility:\s*hidden/i.test(piece)
      shapes.push({ isHidden, run })
      if (isHidden) hiddenShapes += 1
    } else if (piece.startsWith("</v:")) {
      const shape = shapes.pop()
      if (shape?.isHidden === true) hiddenShapes -= 1
      run = shape?.run ?? ""
    }
    if (/^<w:(?:del|moveFrom)[\s>]/.test(piece) && !/^<w:\w+[^>]*\/>/.test(piece)) removed += 1
    else if (/^<\/w:(?:del|moveFrom)>/.test(piece)) removed = Math.max(0, removed - 1)
    else if (/^<w:tbl[\s>]/.test(piece)) tables += 1
    else if (piece.startsWith("</w:tbl>")) {
      tables = Math.max(0, tables - 1)
      cell = undefined
    } else if (/^<w:tr[\s>]/.test(piece))
      isRowHidden = /<w:hidden(?:\s*\/>|\s+w:val="(?:1|true|on)")/.test(piece)
    else if (piece.startsWith("</w:tr>")) isRowHidden = false
    else if (/^<w:tc[\s>]/.test(piece)) cell = shadeOf(piece)
    else if (/^<w:p[\s>]/.test(piece)) {
      ground = shadeOf(piece)
      isParagraphHidden =
        hiddenIds.has(/<w:pStyle w:val="([^"]*)"/.exec(piece)?.[1] ?? "") || isFramedAway(piece)
    }
    // After a shape, the run around it is still open.
    if (!isShape) run = /^<w:r[\s>]/.test(piece) ? between(piece, "<w:rPr>", "</w:rPr>") : ""
    // Table backgrounds come from many sources, including styles.
    const below = [shadeOf(run), ground, cell].find((one) => one !== undefined)
    const under = below === undefined ? (tables === 0 ? PAPER : null) : below
    const isUnseen =
      removed > 0 ||
      isRowHidden ||
      isParagraphHidden ||
      hiddenShapes > 0 ||
      isVanished(run) ||
      hiddenIds.has(/<w:rStyle w:val="([^"]*)"/.exec(run)?.[1] ?? "") ||
      Number(/<w:sz w:val="(\d+)"/.exec(run)?.[1] ?? LEAST_HALF_POINTS) < LEAST_HALF_POINTS ||
      isUnreadable(inkOf(run), under)
    out += isUnseen ? piece.replace(/<w:(t|delText)(\s[^>]*)?>[^<]*<\/w:\1>/g, "") : piece
  }
  return out
}

const PAPER: Color = [255, 255, 255, 1]

/** The colour of a run's letters; null for the default colour. */
function inkOf(run: string): Color | null {
  const color = /<w:color\s[^>]*>/.exec(run)?.[0] ?? ""
  // The theme's background colour takes precedence over the value beside it, which is meant for older programs.
  if (/w:themeColor="(?:background1|light1)"/.test(color) && !/w:theme(?:Tint|Shade)=/.test(color))
    return PAPER
  const value = /w:val="([^"]*)"/.exec(color)?.[1]?.toLowerCase()
  return value === undefined || value === "auto" ? null : (colorOf(`#${value}`) ?? colorOf(value))
}

/** The colour that a highlight or shading puts behind letters; null when not known, undefined when there is none. */
function shadeOf(properties: string): Color | null | undefined {
  const marker = /<w:highlight\s[^>]*w:val="([^"]*)"/.exec(properties)?.[1]
  if (marker !== undefined && marker !== "none") return colorOf(MARKERS[marker] ?? marker.toLowerCase())
  const shade = /<w:shd\s[^>]*>/.exec(properties)?.[0]
  if (shade === undefined) return undefined
  if (/w:themeFill/.test(shade)) return null
  const fill = /w:fill="([^"]*)"/.exec(shade)?.[1]?.toLowerCase()
  if (fill === undefined || fill === "auto") return /w:val="(?:clear|nil)"/.test(shade) ? undefined : null
  return /w:val="(?:clear|nil)"/.test(shade) ? colorOf(`#${fill}`) : null
}

/** Word's colour names that CSS doesn't have or uses for other colours. */
const MARKERS: Readonly<Record<string, string>> = {
  darkYellow: "#808000",
  darkBlue: "#000080",
  darkCyan: "#008080",
  darkGreen: "#008000",
  darkMagenta: "#800080",
  darkRed: "#800000",
  green: "#00ff00",
  lightGray: "#c0c0c0",
  darkGray: "#808080",
}

/** Whether a frame lies to the left of the page or above it, in twentieths of a point. */
function isFramedAway(paragraph: string): boolean {
  const frame = /<w:framePr\s[^>]*>/.exec(paragraph)?.[0]
  if (frame === undefined) return false
  const value = (name: string) => Number(new RegExp(`\\sw:${name}="(-?\\d+)"`).exec(frame)?.[1] ?? 0)
  const isOfPage = (axis: string) => new RegExp(`\\sw:${axis}Anchor="page"`).test(frame)
  return (
    (isOfPage("h") && value("x") < 0 && value("x") + value("w") <= 0) ||
    (isOfPage("v") && value("y") < 0 && value("y") + value("h") <= 0)
  )
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  const end = start === -1 ? -1 : text.indexOf(to, start)
  return end === -1 ? "" : text.slice(start, end)
}
