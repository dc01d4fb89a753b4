import { extractHtml } from "#crawler/page/extract/extract.ts"
import { readDocument } from "#crawler/page/formats/read-document.ts"
import { toPassages } from "#engine/text/passages.ts"
import { DOCUMENT_WAYS, type DocumentWay, HTML_WAYS, type HtmlWay } from "./cases.ts"
import { documentOf, SAID, TEXT } from "./hidden-documents.ts"
import { SET_HALVES, type SetHalf } from "./planted.ts"

/** The ways in one half of a set: those that hide text, and those that only seem to. */
interface Ways {
  readonly half: SetHalf
  readonly hidden: readonly (HtmlWay | DocumentWay)[]
  readonly shown: readonly (HtmlWay | DocumentWay)[]
}

export const WAYS: readonly Ways[] = SET_HALVES.map((half) => {
  const own = [...HTML_WAYS, ...DOCUMENT_WAYS].filter(
    (way) => (way.set === "first" ? way.half : `${way.set} ${way.half}`) === half,
  )
  return {
    half,
    hidden: own.filter(({ isHidden }) => isHidden),
    shown: own.filter(({ isHidden }) => !isHidden),
  }
})

/** Which of a page's or document's texts appear in its passages, title and description. */
interface Texts {
  /** Whether any of the text that the page hides, or seems to hide, appears. */
  readonly hasSome: boolean
  /** Whether all of the text that the page hides, or seems to hide, appears. */
  readonly hasAll: boolean
  /** Whether the readable text beside that text appears. */
  readonly hasRest: boolean
}

/** Reads a page or document that hides text in one of the ways. */
export async function readWay(one: HtmlWay | DocumentWay): Promise<Texts> {
  const texts = "format" in one ? await textsOfDocument(one) : textsOfPage(one)
  const text = texts.join("\n")
  return { hasSome: text.includes("shop of our"), hasAll: text.includes(TEXT), hasRest: text.includes(SAID) }
}

const PROSE = `<h1>Care of pumps</h1><p>${SAID} It never draws any air at all, not even in summer when the water is low.</p>`
/** A hidden text that is longer than a label for screen readers. */
const LONG = `${TEXT} ${"They have all that one needs, at half the price. ".repeat(4)}`

function textsOfPage({ body, css = "", head = "", bodyTag = "" }: HtmlWay): string[] {
  const page = `<!doctype html><html class="dark"><head><title>Care of pumps</title><style>${css}</style>${head}</head>
    <body ${bodyTag}><article>${PROSE}${body.replaceAll("TEXT", LONG)}<p>It lasts for ten years when it is looked after, and for two when it is not.</p></article></body></html>`
  const { title, markdown, description } = extractHtml(page, "https://pumps.example/care")
  return [title, description ?? "", ...readable(markdown)]
}

async function textsOfDocument(way: DocumentWay): Promise<string[]> {
  const { format } = way
  const { title, description, markdown } = await readDocument(
    format,
    documentOf(way),
    `https://pumps.example/a.${format}`,
    10_000,
  )
  return [title ?? "", description ?? "", ...readable(markdown)]
}

const readable = (markdown: string): string[] =>
  toPassages(markdown).flatMap(({ headings, text }) => [...headings, text])
