import { expect, test } from "vitest"
import { isWholeDocument } from "./whole-document.ts"

const whole = (text: string | Uint8Array) => isWholeDocument(Buffer.from(text))

test("a page is complete when it has its end, whatever caches append", () => {
  for (const end of [
    "</html>",
    "</HTML >\r\n",
    "</body>",
    "</body></html>",
    "</html><!-- 0.2 s -->\n<!--\nhit\n-->\n",
  ])
    expect([end, whole(`<p>Text.</p>${end}`)]).toEqual([end, true])
  expect(whole(Buffer.from("<p>Text.</p></html>\n", "utf16le"))).toBe(true)
})

test("a page is not complete when it stops in the middle, or never ends", () => {
  for (const text of [
    "<p>Text.</p></htm",
    "<pre>&lt;/html&gt;</pre>",
    "<!-- </html> -->",
    "</html><!-- cut",
    "</html><p>More",
    "Plain text.\n",
    "",
  ])
    expect([text, whole(text)]).toEqual([text, false])
})

test("a PDF and an archive have their own end markers", () => {
  expect(whole("%PDF-1.4\n1 0 obj\nstartxref\n9\n%%EOF\n")).toBe(true)
  expect(whole("%PDF-1.4\n1 0 obj\nstar")).toBe(false)
  expect(whole(`PK\x03\x04data${"PK\x05\x06".padEnd(22, "\0")}`)).toBe(true)
  expect(whole("PK\x03\x04data")).toBe(false)
})
