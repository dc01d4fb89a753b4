import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const URL = "https://example.org/keeping/2024/lamps"

const page = (body: string, title = "Keeping lamps") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`

const read = (body: string, title?: string) => extractHtml(page(body, title), URL).markdown

describe("a short article", () => {
  const LEGAL = `<p>${"This site and everything on it is provided as it is, without warranty of any kind, and the owner is not liable for any loss that comes from its use. No part of it may be copied, stored or passed on without written leave. ".repeat(12)}</p>`
  it("does not lose to a long legal notice", () => {
    for (const body of [
      `<div><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></div><div>${LEGAL}</div>`,
      `<article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article><div class="legal">${LEGAL}</div>`,
      `<main><article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article></main><footer>${LEGAL}</footer>`,
      `<main><article><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p></article><section><h2>Legal notice</h2>${LEGAL}</section></main>`,
      `<div><h1>Lamp four is out</h1><p>The keeper of lamp four reports a cracked glass since Monday; ships use the siskin light meanwhile.</p><div><h2>Licence</h2>${LEGAL}</div></div>`,
    ])
      expect(read(body, "Lamp four is out")).toContain("siskin")
  })
})
