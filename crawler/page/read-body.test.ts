import { expect, test } from "vitest"
import { readBody } from "./read-body.ts"

const read = (body: Buffer, charset: string | null = null) =>
  readBody({ url: "https://x.example/", kind: "html", contentType: "text/html", charset, body })

test("an unpaired UTF-16 surrogate becomes a replacement character", async () => {
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

test("so does an unpaired surrogate escaped in structured data", async () => {
  const facts = String.raw`{"@type":"Article","author":{"name":"Ann \ud800 Other"},"datePublished":"2024-05-06"}`
  const { author, publishedAt } = await read(
    Buffer.from(`<title>T</title><script type="application/ld+json">${facts}</script><p>Text.`),
  )
  expect(author).toBe("Ann \ufffd Other")
  expect(publishedAt).toEqual(new Date("2024-05-06"))
})

test("doubly encoded text written with character references is repaired", async () => {
  const { title, markdown } = await read(
    Buffer.from(
      "<title>The caf&Atilde;&copy;</title><p>It&acirc;&euro;&trade;s the caf&Atilde;&copy; &amp; the quay, not Donau&#226;&#8364;&#8482;s: 3 &lt; 4.</p>",
    ),
  )
  expect(title).toBe("The café")
  expect(markdown).toContain("It’s the café & the quay, not Donau’s: 3 < 4.")
})

test("references that only look doubly encoded, or that a page quotes, stay", async () => {
  const said = async (html: string) => (await read(Buffer.from(html))).markdown
  expect(await said("<p>A ch&acirc;teau in S&atilde;o Paulo, &Atilde;&ndash; or so.</p>")).toBe(
    "A château in São Paulo, Ã– or so.",
  )
  expect(
    await said("<p>Where <code>&acirc;&euro;&trade;</code> shows, it&acirc;&euro;&trade;s broken.</p>"),
  ).toContain("itâ€™s broken")
})
