import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const URL = "https://example.org/keeping/2024/lamps"

const page = (body: string, title = "Keeping lamps") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`

const read = (body: string, title?: string) => extractHtml(page(body, title), URL).markdown

describe("a short article", () => {
  const LEGAL = `<p>${"This site and everything on it is provided as it is, without warranty of any kind, and the owner is not liable for any loss that comes from its use. No part of it may be copied, stored or passed on without written leave. ".repeat(12)}</p>`
  it("is kept beside a long legal notice", () => {
    for (const body of [
      `<div><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></div><div>${LEGAL}</div>`,
      `<article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article><div class="legal">${LEGAL}</div>`,
      `<main><article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article></main><footer>${LEGAL}</footer>`,
      `<main><article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article><section><h2>Legal notice</h2>${LEGAL}</section></main>`,
      `<div><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p><div><h2>Licence</h2>${LEGAL}</div></div>`,
      `<main><div><div><h2>Lamp four</h2><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></div></div><div>${LEGAL}</div></main>`,
    ])
      expect(read(body, "Lamp four is out")).toContain("siskin")
  })
  const CONSENT = `<p>${"We and our partners store cookies on your device to measure how the site is used and to show you what you may like. You may change your mind at any time under cookie settings at the foot of each page. ".repeat(6)}</p>`
  const CONSENT_DE = `<p>${"Cookies helfen uns, den Hafen im Netz besser zu machen. Mit einem Klick stimmen Sie zu, dass wir und unsere Partner Cookies auf Ihrem Gerät ablegen und auslesen. ".repeat(6)}</p>`
  const SHORT =
    "<h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p>"

  it("is kept without the cookie consent notice beside it", () => {
    for (const [body, word] of [
      [`<div class="a1">${SHORT}</div><div class="b7">${CONSENT}<button>Fine</button></div>`, "partners"],
      [
        `<div class="b7"><div>${CONSENT_DE}</div><div><button>Ja</button></div></div><div>${SHORT}</div>`,
        "Partner",
      ],
      [`<article>${SHORT}</article><div>${CONSENT}<p><button>No</button></p></div>`, "partners"],
    ] as const) {
      const markdown = read(body, "Harbour")
      expect(markdown).toContain("siskin")
      expect(markdown).not.toContain(word)
    }
  })

  it("is kept when it is about cookies, or has no consent button", () => {
    for (const body of [
      `<div><h1>What cookies are for</h1><p>A word on what your browser keeps for a site, from the siskin desk.</p></div><div>${CONSENT}<button>Share</button></div>`,
      `<div>${SHORT}</div><div>${CONSENT}</div>`,
    ])
      expect(read(body, "Harbour")).toContain("partners")
  })
})
