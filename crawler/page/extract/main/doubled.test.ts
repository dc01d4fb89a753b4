import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"
import { readPage } from "../testing/read-page.ts"

const OFFER =
  "<h3>One year of lessons</h3><p>You learn to splice rope with us on the first Monday of each month, in the loft above the chandler's shop.</p><p>Bring a marlinspike and old gloves; the tar is ours, and so is the petrel stew at noon.</p>"

const times = (html: string, word: string): number => readPage(html).markdown.split(word).length - 1

describe("a box that a page shows twice", () => {
  it("is read once when the copy for wide screens follows the one for phones", () => {
    expect(
      times(`<div class="only-small">${OFFER}</div><div class="only-large">${OFFER}</div>`, "petrel"),
    ).toBe(1)
  })

  it("is read once when a carousel repeats its slides", () => {
    const slide = (word: string) =>
      `<div class="slide"><p>“The splice I made here has held a ${word} ketch through two winters, and it will hold a third.”</p></div>`
    const row = slide("fulmar") + slide("skua")
    expect(
      times(`<div class="rail"><div class="run">${row}</div><div class="run">${row}</div></div>`, "skua"),
    ).toBe(1)
  })

  it("is read once, even far from its copy, when it has several paragraphs", () => {
    expect(
      times(`<section>${OFFER}</section><p>Or ask at the gate.</p><section>${OFFER}</section>`, "petrel"),
    ).toBe(1)
  })

  const twice: readonly [string, string][] = [
    [
      "one paragraph under two headings",
      "<h3>Monday</h3><div><p>Two eggs with asparagus, half a cup of barley and a slice of petrel bread with butter on it.</p></div><h3>Thursday</h3><div><p>Two eggs with asparagus, half a cup of barley and a slice of petrel bread with butter on it.</p></div>",
    ],
    [
      "code that is run twice",
      `<div class="code"><pre>bridge measure --bird petrel --between 0900 --and 1700 --write /var/lib/bridge/today.csv</pre></div>`.repeat(
        2,
      ),
    ],
    [
      "boxes that lead to different pages",
      [1, 2]
        .map(
          (n) =>
            `<div class="job"><h3>Rope maker</h3><p>The petrel loft wants a rope maker for the winter, with two years on the walk or more.</p><a href="/jobs/${n}">Apply for this place</a></div>`,
        )
        .join(""),
    ],
    [
      "steps that two tabs share",
      ["a", "b"]
        .map((tab) => `<div role="tabpanel" id="${tab}"><p>On ${tab}.</p><div>${OFFER}</div></div>`)
        .join(""),
    ],
    [
      "a parameter that two calls of a manual share",
      ["Moor", "Cast off"]
        .map(
          (call) =>
            `<section><div><h2>${call}</h2><p>The call to ${call}.</p><h3>Parameters</h3><ul><li><div><h4>line</h4><p>The line that holds the petrel at the quay, as it is named in the list of lines of the harbour.</p><p>Where there is none of that name, the call fails with an error that names those that are there, shortest first.</p></div></li></ul></div></section>`,
        )
        .join(""),
    ],
    [
      "the measures of two products",
      ["Short arm", "Long arm"]
        .map(
          (name) =>
            `<div><h3>${name}</h3><div class="facts"><p>For a lamp of three to twelve pounds</p><p>Glass up to thirty-six inches</p><p>A petrel arm on one post, made to carry up to six lamps over a bench with all of their cords out of sight</p><p>Moves four inches and a half each way</p><p>From $ 658</p></div></div>`,
        )
        .join(""),
    ],
    [
      "the colours of two products",
      [1, 2]
        .map(
          (n) =>
            `<div class="product"><h3>Cup number ${n}</h3><div class="colours">${"<span>Petrel grey</span> <span>Army green</span> <span>Coral</span> ".repeat(6)}<div>Lid</div></div></div>`,
        )
        .join(""),
    ],
  ]
  for (const [name, html] of twice)
    it(`stays: ${name}`, () => expect(times(html, "etrel")).toBe(html.split("etrel").length - 1))
})

describe("a post quoted in full in a conversation", () => {
  const post = (link: string) =>
    `<div class="words"><p>The petrel knot slips when the rope is wet, at least on mine, and I have tied it the way the <a href="${link}">leaflet</a> shows for years now.</p><p>Does anybody know whether a second turn would hold it, or is the rope too new for that?</p></div>`

  it("is read once, whatever its links", () => {
    const page = (url: string) =>
      extractHtml(
        `<!doctype html><title>Wet knots</title><main><h1>Wet knots</h1><article>${post("/a")}</article><article><blockquote>${post("/b")}</blockquote><p>A second turn holds on mine.</p></article></main>`,
        url,
      ).markdown.split("petrel").length - 1
    expect(page("https://example.org/forum/topic/12")).toBe(1)
    expect(page("https://example.org/leaflets/12")).toBe(2)
  })
})
