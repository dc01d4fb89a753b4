import { Parser } from "htmlparser2"
import { Element } from "#crawler/page/extract/html/element.ts"
import { formulaOf } from "#crawler/page/extract/markdown/formulas.ts"
import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"
import { formulaEnd } from "#engine/text/markdown/formula-end.ts"

/** The text of markdown without its marks. This checkout's code reads the markdown of all checkouts, so that all are judged alike. */
export const textOfMarkdown = (markdown: string): string => toPlainText(markdown)

/**
 * The text that a reader of the markdown sees, including the descriptions of images, where we put captions. It leaves
 * out list numbers, which HTML does not contain, and the raw tags and marks of callouts and footnotes that some suites
 * expect.
 */
export const wholeTextOfMarkdown = (markdown: string): string =>
  textOfMarkdown(outsideCode(markdown, plainer))

/** {@link wholeTextOfMarkdown} without formulas, for suites that expect symbols where we write TeX. */
export const wordsOfMarkdown = (markdown: string): string =>
  wholeTextOfMarkdown(outsideCode(markdown, withoutFormulas))

function outsideCode(markdown: string, change: (line: string) => string): string {
  let fence: string | null = null
  return markdown
    .split("\n")
    .map((line) => {
      const marker = /^(?:[\s>]|[-*] |\d+[.)] )*(`{3,})/.exec(line)?.[1]
      if (fence === null) return (fence = marker ?? null) === null ? change(line) : line
      if (marker !== undefined && marker.length >= fence.length && /^[\s>]*`+$/.test(line)) fence = null
      return line
    })
    .join("\n")
}

const LINE_MARKS = /^((?:[ \t]|> ?)*)(?:\d{1,9}[.)](?= )|\[\^[^\]\s]+\]:|\[![\w-]+\][-+]?)/
/** A tag, or a code span, which is kept. */
const TAGS = /(`+)[^`]*\1|(?<!\\)<\/?[a-z][a-z\d-]*(?:\s[^<>]*)?\/?>/gi
/** An image, or a code span, which is kept. */
const IMAGES = /(`+)[^`]*\1|!\[((?:\\.|[^\]\\])*)\]\([^)]*\)/g

const plainer = (line: string): string =>
  line
    .replace(LINE_MARKS, "$1")
    .replace(TAGS, (all, code?: string) => (code === undefined ? " " : all))
    .replace(IMAGES, (all, code: string | undefined, description: string) =>
      code === undefined ? ` ${description} ` : all,
    )

function withoutFormulas(line: string): string {
  let text = ""
  let from = 0
  for (let at = line.indexOf("$"); at !== -1; at = line.indexOf("$", at)) {
    const end = line[at - 1] === "\\" ? -1 : formulaEnd(line, at)
    if (end === -1) at++
    else {
      text += `${line.slice(from, at)} `
      from = at = end
    }
  }
  return text + line.slice(from)
}

const INLINE = new Set(
  "a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup u var".split(" "),
)
const UNREAD = new Set(["script", "style", "template", "noscript", "title", "math", "mjx-container"])

/**
 * The text of the HTML that a suite expects: with a space at each tag that separates words, and with the descriptions
 * of images, but without formulas.
 */
export function wordsOfHtml(html: string): string {
  let text = ""
  let unread = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (UNREAD.has(name)) unread += 1
      if (!INLINE.has(name)) text += " "
      if (name === "img" && unread === 0 && !isFormula(attributes)) text += `${attributes["alt"] ?? ""} `
    },
    ontext(piece) {
      if (unread === 0) text += piece
    },
    onclosetag(name) {
      if (UNREAD.has(name)) unread -= 1
      if (!INLINE.has(name)) text += " "
    },
  })
  parser.end(html)
  return text
}

function isFormula(attributes: Readonly<Record<string, string>>): boolean {
  const image = new Element("img", null)
  image.attributes = Object.entries(attributes).flat()
  return formulaOf(image) !== null
}
