import { expect, test } from "vitest"
import { readBody } from "./read-body.ts"

const read = (body: Buffer, charset: string | null = null) =>
  readBody({ url: "https://x.example/", kind: "html", contentType: "text/html", charset, body })

test("half a character in UTF-16 is one that nobody can read", async () => {
  const html =
    "<title>Left \ud83d half</title><article><p>And a right half \ude00 in a sentence of its own.</p>"
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(html, "utf16le")])
  for (const { title, markdown } of [
    await read(marked),
    await read(Buffer.from(html, "utf16le"), "utf-16le"),
  ]) {
    expect(title).toBe("Left \ufffd half")
    expect(markdown).toContain("right half \ufffd in")
  }
})

test("half a character that a fact escapes is none either", async () => {
  const facts = String.raw`{"@type":"Article","author":{"name":"Ann \ud800 Other"},"datePublished":"2024-05-06"}`
  const { author, publishedAt } = await read(
    Buffer.from(`<title>T</title><script type="application/ld+json">${facts}</script><p>Text.`),
  )
  expect(author).toBe("Ann \ufffd Other")
  expect(publishedAt).toEqual(new Date("2024-05-06"))
})
