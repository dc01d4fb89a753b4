import { expect, test } from "vitest"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { readDocument } from "#crawler/page/formats/read-document.ts"
import { type DocumentCase, HIDDEN_DOCUMENTS, SAID, SHOWN_DOCUMENTS, TEXT } from "./hidden-documents.ts"
import { HIDDEN_HTML, type HtmlCase, SHOWN_HTML } from "./hidden-html.ts"
import { LATER_HIDDEN, LATER_SHOWN } from "./later-hidden.ts"

const PROSE = `<h1>Care of pumps</h1><p>${SAID} It never draws any air at all, not even in summer when the water is low.</p>`

/** Longer than a label for readers of the screen. */
const LONG = `${TEXT} ${"They have all that one needs, at half the price. ".repeat(4)}`
const htmlText = ({ body, css = "", head = "", bodyTag = "" }: HtmlCase): string => {
  const page = `<!doctype html><html class="dark"><head><title>Care of pumps</title><style>${css}</style>${head}</head>
    <body ${bodyTag}><article>${PROSE}${body.replaceAll("TEXT", LONG)}<p>It lasts for ten years when it is looked after, and for two when it is not.</p></article></body></html>`
  const { title, markdown, description } = extractHtml(page, "https://pumps.example/care")
  return `${title}\n${description}\n${markdown}`
}
const documentText = async ({ format, body }: DocumentCase): Promise<string> =>
  (await readDocument(format, body, `https://pumps.example/a.${format}`, 10_000)).markdown
test.each([...HIDDEN_HTML, ...LATER_HIDDEN.tuning])("No text that a page hides is read: $name", (one) => {
  expect(htmlText(one)).toContain(SAID)
  expect(htmlText(one)).not.toContain("shop of our")
})
test.each([...SHOWN_HTML, ...LATER_SHOWN.tuning])("A text that is shown is read: $name", (one) => {
  expect(htmlText(one)).toContain(TEXT)
})
test.each(HIDDEN_DOCUMENTS)("No text that a document hides is read: $name", async (one) => {
  const text = await documentText(one)
  expect(text).toContain(SAID)
  expect(text).not.toContain("shop of our")
})
test.each(SHOWN_DOCUMENTS)("A text that a document shows is read: $name", async (one) => {
  expect(await documentText(one)).toContain(TEXT)
})
