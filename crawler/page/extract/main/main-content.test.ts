import { describe, expect, it, test } from "vitest"
import { extractHtml } from "../extract.ts"

const read = (body: string, head = "<title>Rope</title>", url = "https://example.org/rope"): string =>
  extractHtml(`<!doctype html><html lang=en><head>${head}</head><body>${body}</body></html>`, url).markdown

const SENTENCES =
  "<p>A rope is laid from three strands, each of them twisted against the turn of the whole, so that neither can open without the other closing.</p><p>Wet hemp swells and holds a knot for years, while nylon slides and asks for another turn and a longer end than people leave.</p><p>What hangs outside is washed in fresh water each spring and dried in the shade before it is coiled again.</p>"

const ARTICLE = '<title>Rope</title><meta property="og:type" content="article">'

describe("a list whose items have little prose", () => {
  const goods = [
    "Kittiwake line",
    "Gannet line",
    "Razorbill line",
    "Dunlin line",
    "Whimbrel line",
    "Turnstone line",
  ]
    .flatMap((name) => [`${name}, ten metres`, `${name}, twenty metres`])
    .map(
      (name, i) =>
        `<li><a href="/rope/${i}"><img src="/${i}.jpg" alt=""><b>${name}</b></a><span>Three strands, ${i + 6} mm across, breaks at ${i + 2}00 kg</span><i>€ ${i + 4}.50</i></li>`,
    )
    .join("")

  it("is the content, along with a shop's text below it", () => {
    const markdown = read(
      `<div class="page"><h1>Hemp</h1><ul>${goods}</ul><div class="words">${SENTENCES}</div></div>`,
    )
    for (const word of ["Kittiwake line, twenty", "Turnstone line", "three strands"])
      expect(markdown).toContain(word)
  })

  it("is the content, next to an article element without the main heading", () => {
    const markdown = read(
      `<main><h1>Hemp</h1><ul>${goods}</ul><section><article>${SENTENCES}</article></section></main>`,
    )
    expect(markdown).toContain("Whimbrel line")
  })

  it("is left out after the text of a page declared as an article", () => {
    const markdown = read(
      `<div class="page"><div class="text"><h1>How rope is kept</h1>${SENTENCES}</div><ul>${goods}</ul></div>`,
      ARTICLE,
    )
    expect(markdown).toContain("washed in fresh water")
    expect(markdown).not.toContain("Whimbrel line")
  })

  it("keeps one of a row of items whose class only names its subject", () => {
    const row = ["newsletter", "anchors", "oars", "cleats"]
      .map(
        (subject) =>
          `<div class="item about-${subject}"><h3>On ${subject}</h3><p>What the yard knows of ${subject} fits on a page.</p></div>`,
      )
      .join("")
    const markdown = read(`<div><h1>Leaflets</h1>${SENTENCES}<div>${row}</div></div>`)
    expect(markdown).toContain("What the yard knows of newsletter")
  })
})

describe("email sign-up boxes", () => {
  const box = (lead: string) =>
    `<div><h3>The rope letter</h3><p>${lead}</p><div><form><input type="email"><button>Yes</button></form></div></div>`

  it("are left out with the text before the field", () => {
    const markdown = read(
      `<main><h1>Rope</h1>${SENTENCES}${box("Once a month, with a cormorant on it.")}${SENTENCES}</main>`,
    )
    expect(markdown).toContain("Wet hemp")
    expect(markdown).not.toContain("cormorant")
  })

  it("stay when they make up much of the text", () => {
    const text =
      "Write to the yard by the cormorant rock, and say how long the rope is and what hangs on it. ".repeat(7)
    expect(read(`<main><h1>Rope</h1>${SENTENCES}${box(text)}</main>`)).toContain("cormorant")
  })
})

test("an inline element can be the main content", () => {
  expect(read('<span role="main">Closed on Mondays.</span>')).toBe("Closed on Mondays.")
  expect(read('<p>Rope</p><span role="main">Ask <a href="/desk">the desk</a>.</span>')).toContain(
    "Ask [the desk](https://example.org/desk).",
  )
})

test("a heading that is a link in its own box stays above its text", () => {
  const part = (name: string) =>
    `<div class="part"><div class="top"><h3><a href="/${name}">The ${name} line of this yard</a></h3></div><div><b>Three strands, 12 mm</b>, breaks at 900 kg, sold by the metre.</div></div>`
  const markdown = read(
    `<main><h1>Lines</h1>${SENTENCES}${part("gannet")}${part("dunlin")}${SENTENCES}</main>`,
  )
  expect(markdown).toContain("### [The gannet line of this yard]")
  expect(markdown).toContain("### [The dunlin line of this yard]")
})

describe("a box beside an article", () => {
  const portrait = (inside: string) =>
    `<div class="author-box"><img src="/ida.jpg" alt=""><div><h3>About Ida Holm</h3><p>${inside} <a href="/people/ida">More</a></p></div></div>`

  it("is left out when it describes the author at the end", () => {
    const body = `<article><h1>Rope</h1>${SENTENCES.repeat(2)}${portrait("Ida has laid rope by the puffin quay since she was nine, and teaches it.")}</article>`
    expect(read(body, ARTICLE)).not.toContain("puffin")
  })

  it("stays when more of the article comes after it", () => {
    const body = `<article><h1>Rope</h1>${SENTENCES}${portrait("Ida has laid rope by the puffin quay since she was nine, and teaches it.")}${SENTENCES}</article>`
    expect(read(body, ARTICLE)).toContain("puffin")
  })

  it("is left out of a short article when it is a list of links", () => {
    const links = [
      "Ferry stops early this week",
      "Crab season opens on Monday",
      "New bridge is delayed again",
    ]
      .map((title, i) => `<li><a href="/n/${i}">${title}</a></li>`)
      .join("")
    const body = `<article><div><ul>${links}</ul></div><h1>Rope</h1>${SENTENCES}</article>`
    expect(read(body, ARTICLE)).not.toContain("Crab season")
  })
})
