import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const URL = "https://example.org/keeping/2024/lamps"

const page = (body: string, title = "Keeping lamps") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`

const read = (body: string, title?: string) => extractHtml(page(body, title), URL).markdown

const PROSE = `<p>A lamp that burns all night wants a wick cut square, oil that was strained on the day before, and a glass without a crack. The keeper looks at it every two hours, more often in a wind from the east, and writes down the hour and the level of the oil.</p>
<p>When the flame smokes, the wick stands too high. Lower it by a quarter turn and wait for a minute, because the glass has to warm again before the draught is even. A flame that jumps has water in its oil, and then the can is emptied, dried and filled anew.</p>
<p>In the morning the lamp is put out from below, the glass is wiped with paper, and the can is weighed. The difference is the night's oil, and over a winter it says more about the wick than any look at it could.</p>`

const cards = (titles: readonly string[], teaser = "") =>
  titles
    .map(
      (title, i) =>
        `<div class="c${i % 2}"><a href="/n/${i}"><img src="/i/${i}.jpg" alt=""></a><h3><a href="/n/${i}">${title}</a></h3>${teaser && `<p>${teaser} ${title}.</p>`}</div>`,
    )
    .join("")

describe("teasers after the end of an article", () => {
  const lists: readonly [string, string, string][] = [
    [
      "images and headlines",
      `<div><h2>More from Harbour News</h2><div>${cards(["Ferry stops early", "Crab season opens", "New bridge delayed", "Mayor resigns"])}</div></div>`,
      "Crab season",
    ],
    [
      "teasers with a sentence each",
      `<section><h2>Breaking News</h2>${cards(["Ferry stops early", "Crab season opens", "New bridge delayed", "Mayor resigns"], "People in the town had waited a long time until this day came and brought the news of")}</section>`,
      "waited a long time",
    ],
    [
      "Finnish",
      `<div><p>Lue myös</p><ul>${["Lautta pysähtyy", "Rapukausi alkaa", "Uusi silta myöhässä"].map((t, i) => `<li><a href="/${i}"><img src="/${i}.png"><span>${t}</span></a></li>`).join("")}</ul></div>`,
      "Rapukausi",
    ],
    [
      "Japanese",
      `<div><h3>あわせて読みたい</h3>${cards(["渡し船が早じまい", "カニ漁が解禁", "新しい橋は延期"])}</div>`,
      "カニ漁",
    ],
    [
      "offers with prices",
      `<div><h2>Deals</h2>${["Brass lamp", "Storm glass", "Wick trimmer", "Oil can"].map((t, i) => `<div><a href="https://shop.example/${i}"><img src="/${i}.jpg"></a><a href="https://shop.example/${i}">${t}</a> <span>$${i}9.99</span></div>`).join("")}</div>`,
      "Storm glass",
    ],
  ]
  for (const [name, html, word] of lists)
    it(`are left out: ${name}`, () => {
      for (const body of [
        `<article><h1>Keeping lamps</h1>${PROSE}${html}</article>`,
        `<main><article><h1>Keeping lamps</h1><div>${PROSE}</div></article>${html}</main>`,
        `<div><h1>Keeping lamps</h1><div>${PROSE}</div><div>${html}</div></div>`,
      ]) {
        const markdown = read(body)
        expect(markdown).not.toContain(word)
        expect(markdown).toContain("the can is weighed")
      }
    })

  it("stay when they are the article: a ranking with an image and a link each", () => {
    const items = ["Skagen", "Ouessant", "Hook Head", "Hiddensee", "Fanad"].map(
      (name, i) =>
        `<h2><a href="https://light.example/${i}">${i + 1}. ${name}</a></h2><img src="/${i}.jpg"><p>The tower of ${name} stands on bare rock, and whoever climbs it sees the coast on both sides as far as the next light.</p>`,
    )
    const markdown = read(`<article><h1>Five lights</h1>${PROSE}${items.join("")}</article>`)
    for (const name of ["Skagen", "Hook Head", "Fanad"]) expect(markdown).toContain(`tower of ${name}`)
  })

  it("do not take the text after them along", () => {
    const list = `<div>${cards(["Ferry stops early", "Crab season opens", "New bridge delayed"])}</div>`
    const markdown = read(
      `<article><h1>Keeping lamps</h1>${PROSE}${list}<p>At the end of winter the oil that is left goes back to the depot, in cans with a redpoll on the lid, and is counted there by two clerks.</p></article>`,
    )
    expect(markdown).toContain("redpoll")
  })
})

const BRIDGE = `<p>A rope bridge is taken down in autumn, dried in a barn and oiled with linseed before it goes up again. Three people carry a coil, and a fourth counts the strands that broke since the last year. Nine broken strands condemn a rope, however good it looks from the outside.</p>
<p>The planks are of larch, split and not sawn, because water runs off along the grain. Each is tied twice and can be changed alone, from above, while the bridge hangs. Nails would rust and pull the fibres apart, so there is not one of them in the whole bridge.</p>`
const LONG =
  BRIDGE +
  `<p>At the abutments the ropes run over beams of oak with a groove for each, which is greased with tallow. Where the groove is worn to half of the rope, the beam is turned by a quarter, and after four turns it is firewood.</p>`

describe("teasers after an article, in other layouts", () => {
  const items = [
    "Seil über dem Fluss",
    "Lärche wird knapp",
    "Neun Fäden gerissen",
    "Die Scheune brennt",
    "Talg aus dem Tal",
  ]
  const lists: readonly [string, string][] = [
    [
      "a grid of figures",
      `<div><h2>Mehr zum Thema</h2>${items.map((t, i) => `<figure><a href="/${i}"><img src="/${i}.webp"></a><figcaption><a href="/${i}">${t}</a></figcaption></figure>`).join("")}</div>`,
    ],
    [
      "whole cards in a link",
      `<div><h2>次に読む</h2>${items.map((t, i) => `<a href="/p/${i}"><div><img src="/${i}.webp"><h3>${t}</h3><p>Im Tal wird darüber gesprochen, seit der Herbst begann, und niemand weiß einen Rat.</p><span>3 min</span></div></a>`).join("")}</div>`,
    ],
    [
      "articles within the article",
      `<section>${items.map((t, i) => `<article><header><h3><a href="/p/${i}">${t}</a></h3><time>3 May</time></header><img src="/${i}.jpg"><p>Im Tal wird darüber gesprochen, seit der Herbst begann, und niemand weiß einen Rat dagegen.</p><a href="/p/${i}">Weiterlesen</a></article>`).join("")}</section>`,
    ],
    [
      "a list with dates and no image",
      `<div><h3>Läs också</h3><ul>${items.map((t, i) => `<li><h4><a href="/p/${i}">${t}</a></h4><span>${i + 1} maj 2024</span></li>`).join("")}</ul></div>`,
    ],
  ]
  for (const [name, html] of lists)
    it(`are left out: ${name}`, () => {
      for (const body of [
        `<article><h1>How a rope bridge is kept</h1>${LONG}${BRIDGE}${html}</article>`,
        `<main><div><h1>How a rope bridge is kept</h1>${LONG}${BRIDGE}</div>${html}</main>`,
        `<div id="page"><h1>How a rope bridge is kept</h1><div>${LONG}${BRIDGE}</div>${html}<div>Until next time</div></div>`,
      ]) {
        const markdown = read(body)
        expect(markdown).not.toContain("Neun Fäden")
        expect(markdown).toContain("firewood")
      }
    })
  it("do not include the items of a list that is the article", () => {
    const markdown = read(
      `<article><h1>Five knots</h1>${BRIDGE}${items.map((t, i) => `<div><img src="/${i}.jpg"><h3><a href="https://knots.example/${i}">${t}</a></h3><p>The ${t} holds a wet rope and opens with one pull, which no other knot of the valley does; tie it with a turn to the left and keep the end long.</p></div>`).join("")}</article>`,
    )
    for (const t of items) expect(markdown).toContain(`The ${t} holds`)
  })
})
