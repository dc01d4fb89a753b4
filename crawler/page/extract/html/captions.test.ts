import { describe, expect, test } from "vitest"
import { extractHtml } from "../extract.ts"

const PROSE = `<p>The ferry crosses the sound six times on a working day, and on Sundays it waits for the train, however late that is.</p>`
const LONG = PROSE.repeat(8)

/** Reads a news article with the given HTML in its middle. */
const read = (html: string) =>
  extractHtml(
    `<!doctype html><title>The ferry</title><meta property="og:type" content="article"><article>${LONG}${html}${LONG}</article>`,
    "https://sound.example/2024/ferry",
  )

const IMAGE = `<img src="/quay.jpg" alt="A white ship">`

describe("a caption left out of an article's text", () => {
  test.each([
    ["behind the image", `<figure>${IMAGE}<figcaption>Boarding at noon.</figcaption></figure>`],
    ["above the image", `<figure><figcaption>Boarding at noon.</figcaption>${IMAGE}</figure>`],
    ["of a class", `<div>${IMAGE}<br><span class="pb-caption">Boarding at noon.</span></div>`],
    [
      "behind a label",
      `<figure>${IMAGE}<b>Photo 1 of 2</b><p class="caption">Boarding at noon.</p></figure>`,
    ],
    [
      "inside a box that is also called a caption",
      `<div class="wp-caption">${IMAGE}<p class="wp-caption-text">Boarding at noon.</p></div>`,
    ],
  ])("is added after its image's alternative text: %s", (_, html) => {
    const { markdown, images } = read(html)
    expect(markdown).toContain("![A white ship – Boarding at noon.](https://sound.example/quay.jpg)")
    expect(markdown.replace(/!\[.*?\]/, "")).not.toContain("Boarding")
    expect(images[0]?.description).toBe("A white ship – Boarding at noon.")
  })

  test.each([
    ["Boarding a white ship", "a white ship", "Boarding a white ship"],
    ["A white ship.", "A white ship at noon", "A white ship at noon"],
  ])("is not repeated: %s", (caption, alt, description) => {
    const html = `<figure><img src="/quay.jpg" alt="${alt}"><figcaption>${caption}</figcaption></figure>`
    expect(read(html).images[0]?.description).toBe(description)
  })

  test("is not added to an image when other text lies in between", () => {
    const { markdown } = read(`${IMAGE}${PROSE}<p class="caption">Boarding at noon.</p>`)
    expect(markdown).toContain("![A white ship](")
    expect(markdown).not.toContain("Boarding")
  })

  test("stays text when it describes code or a table", () => {
    const { markdown } = read(
      `<figure><pre><code>ferry --at noon</code></pre><figcaption>Asking for the next crossing</figcaption></figure>`,
    )
    expect(markdown).toContain("\n\nAsking for the next crossing\n\n")
  })
})
