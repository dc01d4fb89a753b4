import { describe, expect, test } from "vitest"
import { isScriptShell, isThin } from "./script-shell.ts"

const page = (body: string, head = "") =>
  `<!doctype html><html><head><title>Windmills of the north</title>${head}</head><body>${body}</body></html>`
const BUNDLE = `<script type="module" src="/assets/index-4f2a.js"></script>`
const HEADER = `<header><nav>${"<a href='/x'>One of many sections</a>".repeat(20)}</nav></header>`

describe("the shell of a page that scripts build", () => {
  test.each([
    ["a bundle and an empty root", page(`<div id="root"></div>${BUNDLE}`)],
    ["a root that says it is loading", page(`<div id="app"><p>Loading …</p></div>${BUNDLE}`)],
    ["an element of its own", page(`<app-root></app-root>${BUNDLE}`)],
    ["a header and a footer around an empty root", page(`${HEADER}<div id="__next"></div>${BUNDLE}`)],
    ["a noscript that asks", page(`${HEADER}<noscript>Please enable JavaScript.</noscript>${BUNDLE}`)],
    ["a noscript in another language", page(`<noscript>Bitte JavaScript aktivieren.</noscript>${BUNDLE}`)],
    ["text that asks", page(`<p>You need to enable JavaScript to run this app.</p>${BUNDLE}`)],
    ["no text at all", page(`<div class="x"></div>${BUNDLE}`)],
    ["a script that goes elsewhere", page(`<script>location.replace("/en/")</script>`)],
    ["a short script of its own", page(`<div id="root"></div><script>fetch("/data").then(show)</script>`)],
    [
      "data for the script",
      page(`<div id="root"></div><script>window.data = "${"x".repeat(100_000)}"</script>${BUNDLE}`),
    ],
  ])("is recognised by %s", async (_, html) => {
    expect(await isScriptShell(html)).toBe(true)
  })

  test.each([
    ["without scripts", page(`<h1>Closed</h1><p>Closed on Mondays.</p>`)],
    ["with an empty root and no script", page(`<div id="root"></div>`)],
    [
      "with a script that counts visits",
      page(`<p>Closed.</p><script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
        <script>window.dataLayer = []; function gtag() { dataLayer.push(arguments) } gtag("js", new Date())
        document.head.append("googletagmanager")</script>`),
    ],
    [
      "with text and a script for its menu",
      page(
        `<h1>Opening hours</h1><p>${"We open at nine and close at five on all days but Mondays. ".repeat(2)}</p>${BUNDLE}`,
      ),
    ],
    [
      "whose noscript holds an image",
      page(`<p>${"A short note on a mill that was moved to another village. ".repeat(2)}</p>
        <noscript><img src="/pixel.gif"></noscript>${BUNDLE}`),
    ],
    [
      "whose root is filled",
      page(
        `<div id="app"><h1>Contact</h1><p>Write to the mill at 12 Mill Lane, or come by when its sails turn.</p></div>${BUNDLE}`,
      ),
    ],
    ["with data only", page(`<p>Closed.</p><script type="application/ld+json">{"@type":"Store"}</script>`)],
  ])("is not a short page %s", async (_, html) => {
    expect(await isScriptShell(html)).toBe(false)
  })

  test("is quickly ruled out on endlessly nested elements", async () => {
    expect(await isScriptShell(page("<div id='root'>".repeat(500_000) + BUNDLE))).toBe(false)
  })
})

test("text shorter than a short paragraph is thin, in any script", () => {
  expect(isThin("")).toBe(true)
  expect(isThin("# Title\n\nA line of text.")).toBe(true)
  expect(isThin("A sentence of about fifty characters, more or less. ".repeat(5))).toBe(false)
  expect(isThin("風車は風の力で穀物を挽く。".repeat(8))).toBe(false)
  expect(isThin(`[x](https://example.com/${"a".repeat(500)})`)).toBe(true)
})
