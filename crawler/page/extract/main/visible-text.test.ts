import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const URL = "https://example.org/keeping/2024/lamps"

const page = (body: string, title = "Keeping lamps") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`

const read = (body: string, title?: string) => extractHtml(page(body, title), URL).markdown

const PROSE = `<p>A lamp that burns all night wants a wick cut square, oil that was strained on the day before, and a glass without a crack. The keeper looks at it every two hours, more often in a wind from the east, and writes down the hour and the level of the oil.</p>
<p>When the flame smokes, the wick stands too high. Lower it by a quarter turn and wait for a minute, because the glass has to warm again before the draught is even. A flame that jumps has water in its oil, and then the can is emptied, dried and filled anew.</p>
<p>In the morning the lamp is put out from below, the glass is wiped with paper, and the can is weighed. The difference is the night's oil, and over a winter it says more about the wick than any look at it could.</p>`

describe("a paragraph that is a single link", () => {
  const lone: readonly [string, string, string][] = [
    ["a telephone number", `<p><a href="tel:+4940123456">+49 40 123 456</a></p>`, "+49 40 123 456"],
    [
      "a download of a block editor",
      `<div class="wp-block-file"><a href="/plan.pdf">Lageplan der Leuchttürme</a><a href="/plan.pdf" class="wp-block-file__button" download>Herunterladen</a></div>`,
      "Lageplan der Leuchttürme",
    ],
    [
      "bold, within a box",
      `<div><div><p><strong><a href="https://tides.example/table">The table of tides for this year</a></strong></p></div></div>`,
      "The table of tides for this year",
    ],
    [
      "two mail addresses in a row",
      `<p><a href="mailto:wick@lamps.example">wick@lamps.example</a></p><p><a href="mailto:glass@lamps.example">glass@lamps.example</a></p>`,
      "glass@lamps.example",
    ],
    [
      "a list of forms below its heading",
      `<h2>Forms</h2><ul><li><a href="/a.pdf">Order for oil</a></li><li><a href="/b.pdf">Report of a broken glass</a></li></ul>`,
      "Report of a broken glass",
    ],
  ]
  for (const [name, html, text] of lone)
    it(`stays: ${name}`, () => {
      expect(read(`<article><h1>Keeping lamps</h1>${PROSE}${html}${PROSE}</article>`)).toContain(text)
      expect(read(`<main><h1>Keeping lamps</h1><div>${PROSE}${html}</div></main>`)).toContain(text)
    })
})

describe("a section whose heading sounds like boilerplate", () => {
  const sections: readonly [string, string, string[]][] = [
    [
      "Related",
      `<p>Two lamps are related when one glass fits both; the maker marks them with a heron.</p>`,
      ["heron"],
    ],
    [
      "Kontakt",
      `<p>Die Werkstatt ist werktags besetzt, im Hof hinter der Reepschlägerei, und hat einen Klingelzug.</p>`,
      ["Reepschlägerei"],
    ],
    [
      "Newsletter",
      `<p>The call takes a list and a letter:</p><pre><code>newsletter.send(list, letter, "curlew")</code></pre>`,
      ["curlew"],
    ],
    [
      "Partager",
      `<table><tr><th>Droit</th><th>Effet</th></tr><tr><td>lecture</td><td>voir la courlis</td></tr><tr><td>écriture</td><td>modifier</td></tr></table>`,
      ["voir la courlis"],
    ],
    [
      "Sign in",
      `<p>Run <code>lamp login dunlin</code>. It asks for the word on the back of the box.</p>`,
      ["dunlin"],
    ],
    [
      "Leave a comment",
      `<ol><li>Open the line you mean.</li><li>Press the key called sanderling.</li></ol>`,
      ["sanderling"],
    ],
    ["More on wicks", `<p>A flat wick draws from its edge, so the plover cut is best.</p>`, ["plover"]],
    ["Advertisement", `<dl><dt>interval</dt><dd>Seconds between two whimbrels.</dd></dl>`, ["whimbrels"]],
    [
      "Follow",
      `<p>Ask the tail to follow a file and it prints each turnstone as it lands.</p>`,
      ["turnstone"],
    ],
  ]
  for (const [heading, html, words] of sections)
    it(`keeps its words: ${heading}`, () => {
      const inside = `<h2>${heading}</h2>${html}`
      for (const body of [
        `<main><h1>Keeping lamps</h1>${PROSE}${inside}<h2>Glass</h2><p>Wipe it with paper.</p></main>`,
        `<div id="doc"><h1>Keeping lamps</h1>${PROSE}<section>${inside}</section></div>`,
        `<article><h1>Keeping lamps</h1>${PROSE}${PROSE}${inside}</article>`,
      ]) {
        const markdown = read(body)
        for (const word of words) expect(markdown).toContain(word)
        expect(markdown).toContain(heading)
      }
    })

  const clutter: readonly [string, string, string][] = [
    [
      "Related",
      `<ul><li><a href="/1">Oil from rape</a></li><li><a href="/2">Oil from whales</a></li><li><a href="/3">Oil from rock</a></li></ul>`,
      "whales",
    ],
    [
      "Subscribe",
      `<p>Letters about lamps, monthly.</p><form action="/s"><input name="mail"><button>Send it</button></form>`,
      "monthly",
    ],
    [
      "Share",
      `<p><a href="https://x.example/s">Chirper</a> <a href="https://f.example/s">Facepage</a></p>`,
      "Facepage",
    ],
  ]
  for (const [heading, html, word] of clutter)
    it(`leaves out links and forms below ${heading}`, () => {
      const markdown = read(
        `<article><h1>Keeping lamps</h1>${PROSE}${PROSE}<h3>${heading}</h3>${html}</article>`,
      )
      expect(markdown).not.toContain(word)
      expect(markdown).toContain("the can is weighed")
    })
})

describe("a box in the main content with a suspicious name", () => {
  const WORDS =
    "menu related share social comments sidebar widget promo ad banner newsletter footer header nav breadcrumb meta tags author popup modal cookie subscribe sponsored recommended teaser toolbar".split(
      " ",
    )
  for (const word of WORDS)
    it(`keeps its heading and prose: ${word}`, () => {
      for (const name of [
        `class="${word}"`,
        `id="${word}"`,
        `class="${word}-box"`,
        `class="page__${word}"`,
      ]) {
        const box = `<div ${name}><h2>Turning the light</h2><p>The clockwork is wound at dusk, with thirty turns of the crank, and the weight sinks until dawn.</p><p>A warbler that flies against the glass is laid into the box by the stair.</p></div>`
        for (const body of [
          `<header><nav><a href="/">Home</a> <a href="/find">Find us</a></nav></header><main><h1>Keeping lamps</h1><p>We keep three lamps, and each has its own hours.</p>${box}<p>Ask at the door.</p></main><footer><p>The keepers</p></footer>`,
          `<main><h1>Keeping lamps</h1>${PROSE}${box}${PROSE}</main>`,
          `<main><h1>Keeping lamps</h1><div class="row">${PROSE}<section>${box}</section></div></main>`,
        ])
          expect(read(body)).toContain("warbler")
      }
    })

  it("is left out when it asks for consent or an email address", () => {
    const markdown = read(
      `<main><h1>Keeping lamps</h1>${PROSE}${PROSE}<div class="cookie-banner"><h2>Your privacy</h2><p>We and our partners keep small files on your device to make this page better for you.</p><button>Accept all</button><button>Reject</button></div>
      <div class="newsletter"><h3>Get our letter</h3><p>The best of the lamps, every week, free of charge.</p><form><input type="email"><button>Go</button></form></div></main>`,
    )
    expect(markdown).not.toContain("our partners")
    expect(markdown).not.toContain("every week")
  })
})

const PAGE = "https://example.com/blog/bridges"
const readBridge = (body: string, title = "How a rope bridge is kept") =>
  extractHtml(
    `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`,
    PAGE,
  ).markdown

const BRIDGE = `<p>A rope bridge is taken down in autumn, dried in a barn and oiled with linseed before it goes up again. Three people carry a coil, and a fourth counts the strands that broke since the last year. Nine broken strands condemn a rope, however good it looks from the outside.</p>
<p>The planks are of larch, split and not sawn, because water runs off along the grain. Each is tied twice and can be changed alone, from above, while the bridge hangs. Nails would rust and pull the fibres apart, so there is not one of them in the whole bridge.</p>`
const LONG =
  BRIDGE +
  `<p>At the abutments the ropes run over beams of oak with a groove for each, which is greased with tallow. Where the groove is worn to half of the rope, the beam is turned by a quarter, and after four turns it is firewood.</p>`

describe("a paragraph that is a single link, in other layouts", () => {
  const lone: readonly [string, string, string][] = [
    [
      "an address as its own text",
      `<p><a href="https://ropes.example/strands">https://ropes.example/strands</a></p>`,
      "ropes.example/strands",
    ],
    ["Japanese", `<p><a href="/yoyaku">橋の見学を予約する</a></p>`, "橋の見学を予約する"],
    [
      "within a quotation",
      `<blockquote><p><a href="https://law.example/7">Act on hanging bridges, section 7</a></p></blockquote>`,
      "section 7",
    ],
    [
      "a list of sources with its own line",
      `<p>Sources:</p><ul><li><a href="https://a.example">Annals of rope</a></li><li><a href="https://b.example">The larch and its uses</a></li><li><a href="https://c.example">Knots of the valley</a></li></ul>`,
      "The larch and its uses",
    ],
    [
      "in italics with a line break",
      `<p><em><a href="mailto:barn@bridge.example">barn@bridge.example</a></em><br></p>`,
      "barn@bridge.example",
    ],
    [
      "centred with a picture beside it",
      `<center><a href="/walk.gpx">Track of the walk (GPX, 40 kB)</a></center>`,
      "Track of the walk",
    ],
  ]
  for (const [name, html, text] of lone)
    it(`stays: ${name}`, () => {
      for (const body of [
        `<article><h1>How a rope bridge is kept</h1>${LONG}${html}${BRIDGE}</article>`,
        `<div class="entry-content"><h1>How a rope bridge is kept</h1>${LONG}${html}<p>See you there.</p></div>`,
        `<main><h1>How a rope bridge is kept</h1>${LONG}<h2>To do</h2>${html}</main>`,
      ])
        expect(readBridge(body)).toContain(text)
    })
})

describe("a section whose heading sounds like boilerplate, in other languages", () => {
  const sections: readonly [string, string, string][] = [
    [
      "Comentarios",
      `<p>El comentario empieza con dos guiones y termina al final de la línea, como en pelícano.</p>`,
      "pelícano",
    ],
    [
      "Tags",
      `<table><tr><th>tag</th><th>bird</th></tr><tr><td>red</td><td>gannet</td></tr></table>`,
      "gannet",
    ],
    ["Log in", `<pre><code>bridge login --bird fulmar</code></pre>`, "fulmar"],
    [
      "Recommended reading levels",
      `<p>Readers of nine understand the sign with the shearwater on it.</p>`,
      "shearwater",
    ],
    ["You may also like to know", `<p>Every knot has a bird; the puffin is the bowline.</p>`, "puffin"],
    [
      "Follow us",
      `<p>The guide walks ahead with a lantern; keep ten steps behind the razorbill painted on her back.</p>`,
      "razorbill",
    ],
    ["Latest", `<p>Version 3 hangs on four ropes, as the guillemot did.</p>`, "guillemot"],
    [
      "About the author",
      `<p>She has tied bridges for thirty years, and lives by the kittiwake rock with her two dogs.</p>`,
      "kittiwake",
    ],
    [
      "Categories",
      `<dl><dt>first</dt><dd>Bridges that carry a cormorant</dd><dt>second</dt><dd>All others</dd></dl>`,
      "cormorant",
    ],
    [
      "Artikel teilen",
      `<p>Ein Artikel wird geteilt, indem man die Schere am Zeichen des Basstölpels ansetzt.</p>`,
      "Basstölpels",
    ],
  ]
  for (const [heading, html, word] of sections)
    it(`keeps its words: ${heading}`, () => {
      for (const body of [
        `<main><h1>How a rope bridge is kept</h1>${LONG}<h3>${heading}</h3>${html}<h3>Planks</h3>${BRIDGE}</main>`,
        `<article><h1>How a rope bridge is kept</h1>${LONG}${BRIDGE}<section><h2>${heading}</h2><div>${html}</div></section></article>`,
        `<div class="doc"><h1>How a rope bridge is kept</h1>${LONG}<div><h2>${heading}</h2></div>${html}</div>`,
      ])
        expect(readBridge(body)).toContain(word)
    })
})

describe("a box in the main content with another suspicious name", () => {
  const words =
    "pagination signup login search reviews rating disclaimer copyright legal credits notice alert overlay dialog consent masthead navigation toc print feedback cta contact donation tooltip byline trending popular latest carousel gallery hero aside secondary rail extra complementary addthis outbrain sponsor topbar bottom callout dropdown hidden-xs navbar post-meta entry-footer site-header respond recirc affiliate".split(
      " ",
    )
  for (const word of words)
    it(`keeps its text: ${word}`, () => {
      for (const name of [`class="${word}"`, `id="${word}"`])
        for (const body of [
          `<header><a href="/">Home</a></header><main><h1>How a rope bridge is kept</h1><p>Two bridges hang over the gorge.</p><section ${name}><h3>Hours</h3><p>The upper bridge opens when the fog lifts, as a rule at nine.</p><p>Dogs are carried, in the basket with the jackdaw on its lid, and pay nothing.</p></section><p>Bring gloves.</p></main>`,
          `<main><h1>How a rope bridge is kept</h1>${LONG}<aside ${name}><h3>Hours</h3><p>The upper bridge opens when the fog lifts, as a rule at nine.</p><ul><li>Dogs are carried in the basket with the jackdaw on its lid.</li><li>Children hold a hand.</li></ul></aside>${BRIDGE}</main>`,
        ])
          expect(readBridge(body)).toContain("jackdaw")
    })
})

describe("a box in a script with dense characters", () => {
  it("keeps a short line", () => {
    const markdown = read(
      `<main><h1>灯台の一日</h1><p>灯台守は毎日三つの灯りを見回ります。</p><div class="sidebar"><h2>朝</h2><p>朝五時に油をはかり、硝子を紙で拭きます。</p></div></main>`,
    )
    expect(markdown).toContain("油をはかり")
  })
})

describe("cells that look like buttons", () => {
  it("stay in a table and in a list of terms", () => {
    const markdown = read(
      `<main><h1>Keeping lamps</h1>${PROSE}${PROSE}<table><tr><th>Key</th><th>Does</th></tr><tr><td>Print</td><td>writes the log</td></tr><tr><td>Share</td><td>Open</td></tr></table><dl><dt>Close</dt><dd>ends the watch</dd></dl></main>`,
    )
    for (const word of ["Print", "Share", "Open", "Close"]) expect(markdown).toContain(word)
  })
})

describe("a quoted post", () => {
  it("is kept, whatever class its network gives the box", () => {
    const post = `<blockquote class="twitter-tweet"><p>Nobody told me that a lighthouse hums at night, like a fulmar.</p>— Keeper (@keeper) <a href="https://x.example/1">May 3</a></blockquote>`
    for (const box of [post, `<div class="social-embed">${post}</div>`])
      expect(read(`<article><h1>Keeping lamps</h1>${PROSE}${box}${PROSE}</article>`)).toContain("fulmar")
  })
})

describe("words within a sentence", () => {
  it.each([
    ["a link", `<a href="/word" class="popup">the dim red lamps</a>`],
    ["a superscript", `<sup class="caption">the dim red lamps</sup>`],
  ])("are kept, whatever their class: %s", (_, words) => {
    expect(
      read(
        `<article>${PROSE}<p>At the harbour ${words} are lit first, then those of the pier.</p></article>`,
      ),
    ).toMatch(/At the harbour \[?the dim red lamps.* are lit first/)
  })

  it("can be left out at its end", () => {
    expect(
      read(
        `<article>${PROSE}<p>The lamps are lit at dusk. <a href="/s" class="share">Tell the world</a></p></article>`,
      ),
    ).not.toContain("Tell the world")
  })
})

describe("an infobox", () => {
  const row = (name: string, fact: string) => `<tr><th>${name}</th><td>${fact}</td></tr>`
  const link = (text: string) => `<a href="/wiki/${text}">${text}</a>`

  it("is kept, whatever its class and however many of its facts are links", () => {
    const table = `<table class="infobox vcard">${row("Height", link("31 m"))}${row("Builder", link("Ferrand"))}${row("Lit", link("1898"))}</table>`
    expect(read(`<div>${table}${PROSE}</div>`)).toContain("Ferrand")
  })

  it("is not confused with a menu of links by category", () => {
    const many = ["Kiel", "Föhr", "Amrum", "Pellworm"].map(link).join(" ")
    const table = `<table class="menu">${row("North", many)}${row("South", many)}${row("East", many)}</table>`
    expect(read(`<div>${PROSE}${table}</div>`)).not.toContain("Pellworm")
  })
})

describe("comments", () => {
  it("are the text of a page that has no other text", () => {
    const html = `<table><tr><td><a href="/">Lamps</a> <a href="/new">new</a></td></tr><tr><td><a href="/u/7">keeper</a><div class="comment">${PROSE}</div></td></tr></table>`
    expect(read(html)).toContain("wants a wick cut square")
    expect(
      read(`<div>${PROSE}</div><div class="comment"><p>What a wick, and what a lamp!</p></div>`),
    ).not.toContain("What a wick")
  })
})
