import { extractHtml } from "#crawler/page/extract/extract.ts"
import { readDocument } from "#crawler/page/formats/read-document.ts"
import { toPassages } from "#engine/text/passages.ts"
import { type DocumentCase, HIDDEN_DOCUMENTS, SAID, SHOWN_DOCUMENTS, TEXT } from "./hidden-documents.ts"
import { HIDDEN_HTML, type HtmlCase, SHOWN_HTML } from "./hidden-html.ts"
import { LATER_HIDDEN, LATER_SHOWN } from "./later-hidden.ts"
import type { Half } from "./planted.ts"
import { THIRD_HIDDEN, THIRD_SHOWN } from "./third-hidden.ts"

/** Ways of a half of a set: those that hide a text, and those that look so and do not. */
interface Ways {
  readonly half: Half
  readonly hidden: readonly (HtmlCase | DocumentCase)[]
  readonly shown: readonly (HtmlCase | DocumentCase)[]
}

const everySecond = <Case>(cases: readonly Case[], from: 0 | 1) => cases.filter((_, at) => at % 2 === from)

export const WAYS: readonly Ways[] = [
  ...([0, 1] as const).map((from) => ({
    half: from === 0 ? ("tuning" as const) : ("kept" as const),
    hidden: [...everySecond(HIDDEN_HTML, from), ...everySecond(HIDDEN_DOCUMENTS, from)],
    shown: [...everySecond(SHOWN_HTML, from), ...everySecond(SHOWN_DOCUMENTS, from)],
  })),
  ...(["tuning", "kept"] as const).map((half) => ({
    half: `later ${half}` as const,
    hidden: LATER_HIDDEN[half],
    shown: LATER_SHOWN[half],
  })),
  ...(["tuning", "kept"] as const).map((half) => ({
    half: `third ${half}` as const,
    hidden: [...THIRD_HIDDEN[half].html, ...THIRD_HIDDEN[half].documents],
    shown: [...THIRD_SHOWN[half].html, ...THIRD_SHOWN[half].documents],
  })),
]

/** What passages, title and description of a page or a document have of its texts. */
interface Texts {
  /** Anything of the one that it hides, or seems to. */
  readonly hasSome: boolean
  /** All of that. */
  readonly hasAll: boolean
  /** What stands beside it for all to read. */
  readonly hasRest: boolean
}

/** Reads a page or a document that is made in a way. */
export async function readWay(one: HtmlCase | DocumentCase): Promise<Texts> {
  const texts = "format" in one ? await textsOfDocument(one) : textsOfPage(one)
  const text = texts.join("\n")
  return { hasSome: text.includes("shop of our"), hasAll: text.includes(TEXT), hasRest: text.includes(SAID) }
}

const PROSE = `<h1>Care of pumps</h1><p>${SAID} It never draws any air at all, not even in summer when the water is low.</p>`
/** Longer than a label for readers of the screen. */
const LONG = `${TEXT} ${"They have all that one needs, at half the price. ".repeat(4)}`

function textsOfPage({ body, css = "", head = "", bodyTag = "" }: HtmlCase): string[] {
  const page = `<!doctype html><html class="dark"><head><title>Care of pumps</title><style>${css}</style>${head}</head>
    <body ${bodyTag}><article>${PROSE}${body.replaceAll("TEXT", LONG)}<p>It lasts for ten years when it is looked after, and for two when it is not.</p></article></body></html>`
  const { title, markdown, description } = extractHtml(page, "https://pumps.example/care")
  return [title, description ?? "", ...readable(markdown)]
}

async function textsOfDocument({ format, body }: DocumentCase): Promise<string[]> {
  // A reader may keep the bytes it was given, and a way may be read again.
  const bytes = body.slice()
  const { title, description, markdown } = await readDocument(
    format,
    bytes,
    `https://pumps.example/a.${format}`,
    10_000,
  )
  return [title ?? "", description ?? "", ...readable(markdown)]
}

const readable = (markdown: string): string[] =>
  toPassages(markdown).flatMap(({ headings, text }) => [...headings, text])
