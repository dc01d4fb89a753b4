import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { extractHtml } from "./extract/extract-html.ts"
import { extractLinks } from "./extract/extract-links.ts"
import { refreshTarget, withRefreshLink } from "./refresh-target.ts"

const URL_OF_PAGE = "https://docs.example/a/start" as PageUrl
const PROSE = "The keeper winds the clock of the lamp each evening, and writes down when it was lit. ".repeat(
  15,
)

const pageOf = (html: string, more: { rendered?: boolean } = {}) => ({
  url: URL_OF_PAGE,
  extracted: extractHtml(html, URL_OF_PAGE),
  ...more,
})
const target = (html: string, more = {}) => refreshTarget(pageOf(html, more))
const refresh = (content: string) => `<meta http-equiv="refresh" content="${content}">`

test.each([
  [
    "Sphinx's start page, which is all refresh",
    `<!doctype html><html><head><title>Redirecting</title>${refresh("0; url=en/latest/index.html")}</head><body></body></html>`,
    "/a/en/latest/index.html",
  ],
  [
    "mike's, which has it for readers without scripts",
    `<!DOCTYPE html><html><head><title>Redirecting</title><noscript>${refresh("1; url=latest/")}</noscript><script>window.location.replace("latest/" + window.location.hash)</script></head><body>Redirecting to <a href="latest/">latest/</a>...</body></html>`,
    "/a/latest/",
  ],
  [
    "javadoc's",
    `<html><head><title>Generated Documentation</title><script>window.location.replace('overview-summary.html')</script><noscript><meta http-equiv=Refresh content='0;overview-summary.html'></noscript></head><body><noscript><p>JavaScript is disabled on your browser.</p></noscript><p><a href=overview-summary.html>overview-summary.html</a></p></body></html>`,
    "/a/overview-summary.html",
  ],
  [
    "rustdoc's",
    `<html><head><meta http-equiv="refresh" content="0;URL=../../lamp/struct.Wick.html"><title>Redirection</title></head><body><p>Redirecting to <a href="../../lamp/struct.Wick.html">../../lamp/struct.Wick.html</a>...</p><script>location.replace("../../lamp/struct.Wick.html" + location.search);</script></body></html>`,
    "/lamp/struct.Wick.html",
  ],
  [
    "Jekyll's, which also asks not to be indexed",
    `<!DOCTYPE html><html lang="en-US"><meta charset="utf-8"><title>Redirecting&hellip;</title><link rel="canonical" href="https://docs.example/new/"><script>location="https://docs.example/new/"</script>${refresh("0; url=https://docs.example/new/")}<meta name="robots" content="noindex"><h1>Redirecting&hellip;</h1><a href="https://docs.example/new/">Click here if you are not redirected.</a></html>`,
    "/new/",
  ],
  [
    "a parish page that has moved, with its base and in the body",
    `<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.0//EN'><HTML><HEAD><TITLE>Umgezogen</TITLE><BASE HREF='https://docs.example/neu/'></HEAD><BODY>Wir sind umgezogen! Sie werden in 4 Sekunden weitergeleitet.<META HTTP-EQUIV='REFRESH' CONTENT='4; URL=start.htm'></BODY></HTML>`,
    "/neu/start.htm",
  ],
  [
    "a page of much text that nobody has the time to read",
    `${refresh("0; url=/x")}<main><p>${PROSE}</p></main>`,
    "/x",
  ],
  [
    "one with quotes, blanks and half a second",
    `<title>Weiter</title>${refresh("0.5; URL = '&#x2F;x' ")}`,
    "/x",
  ],
  ["one with a comma", refresh("0, url=/x"), "/x"],
  ["one with nothing but the address", refresh("0 /x"), "/x"],
  [
    "the first one that leads anywhere",
    `${refresh("now")}${refresh("0; url=/x")}${refresh("0; url=/y")}`,
    "/x",
  ],
])("%s redirects", (_, html, path) => {
  expect(target(html)).toBe(`https://docs.example${path}`)
})

test.each([
  [
    "a departure board that reloads itself",
    `${refresh("2")}<main><h1>Departures</h1><p>Whitby 12:04</p></main>`,
  ],
  [
    "one that does so by its address",
    `${refresh(`2; url=${URL_OF_PAGE}#top`)}<main><p>Whitby 12:04</p></main>`,
  ],
  ["a page that is read for half a minute", `${refresh("30; url=/next")}<p>The lamp is lit at dusk.</p>`],
  ["one of a row of long texts", `${refresh("5; url=/next")}<main><p>${PROSE}</p></main>`],
  [
    "an article that sends readers without scripts elsewhere",
    `<noscript>${refresh("0; url=/?noscript=1")}</noscript><main><p>${PROSE}</p></main>`,
  ],
  ["one without a time", `${refresh("; url=/x")}<p>Done.</p>`],
  ["one that leads to a script", `${refresh("0; url=javascript:go()")}<p>Done.</p>`],
  ["one for old browsers", `<!--[if lt IE 9]>${refresh("0; url=/old")}<![endif]--><p>Done.</p>`],
  [
    "a page that only writes about it",
    `<!-- ${refresh("0; url=/x")} --><template>${refresh("0; url=/x")}</template><textarea>${refresh("0; url=/x")}</textarea><p>Done.</p>`,
  ],
])("%s does not redirect", (_, html) => {
  expect(target(html)).toBeNull()
})

test("a rendered page ignores the redirect in noscript", () => {
  const html = `<noscript>${refresh("0; url=/basic")}</noscript><main><p>Seven new letters.</p></main>`
  expect([target(html), target(html, { rendered: true })]).toEqual(["https://docs.example/basic", null])
})

test("a delayed redirect is added to the links, and named when there is no text", () => {
  const slow = withRefreshLink(pageOf(`<title>Later</title>${refresh("30; url=/next")}<body></body>`))
  expect(slow.extracted.links).toEqual([{ url: "https://docs.example/next", text: "", nofollow: false }])
  expect(slow).toMatchObject({
    emptyBecause: "it has no text and leads to https://docs.example/next after 30 s",
  })
  const reload = withRefreshLink(pageOf(refresh("10")))
  expect(reload.extracted.links).toEqual([])
  expect(reload).toMatchObject({ emptyBecause: "it has no text and reloads itself after 10 s" })
})

test("link extraction alone finds the same redirect", () => {
  for (const html of [refresh("0; url=/x"), `<noscript>${refresh("0; url=/x")}</noscript><p>${PROSE}</p>`])
    expect(refreshTarget({ url: URL_OF_PAGE, extracted: extractLinks(html, URL_OF_PAGE) })).toBe(target(html))
})
