import { expect, test } from "vitest"
import { routeOf, toPageUrl } from "./page-url.ts"

test("one page has one normalised address", () => {
  for (const text of [
    "https://Example.com:443/a?b=1",
    "HTTPS://example.com/a?b=1#part",
    "https://user:secret@example.com/a?b=1",
    "https://user@example.com/x/../a?b=1#",
    "https://:secret@example.com/./a?b=1",
  ])
    expect(toPageUrl(text)).toBe("https://example.com/a?b=1")
  for (const text of ["http://example.com?", "http://example.com/?#", "http://example.com/#?"])
    expect(toPageUrl(text)).toBe("http://example.com/")
})

test("differences that may mean another page are kept", () => {
  for (const text of [
    "http://example.com/a/",
    "http://www.example.com/a?b=2&a=1",
    "http://example.com/a?q=?",
  ])
    expect(toPageUrl(text)).toBe(text)
})

test("a fragment that is a route identifies a page, even in links from such pages", () => {
  for (const text of [
    "http://example.com/#/",
    "http://example.com/app#/guide?id=1",
    "http://example.com/#!/a",
  ])
    expect(toPageUrl(text)).toBe(text)
  expect(toPageUrl("#/b", "http://example.com/#/a")).toBe("http://example.com/#/b")
  expect(toPageUrl("/b#/c", "http://example.com/#!/a")).toBe("http://example.com/b#/c")
  expect(toPageUrl("/b#part", "http://example.com/#/a")).toBe("http://example.com/b")
  // On a site without routes, a fragment that looks like a route is something else.
  expect(toPageUrl("/b#/c", "http://example.com/a")).toBe("http://example.com/b")
  expect(routeOf("http://example.com/#/a")).toBe("#/a")
  expect(routeOf("http://example.com/a#part")).toBe("")
})

test("only web addresses are pages", () => {
  for (const text of ["ftp://example.com/", "mailto:a@example.com", "/a", "http://", ""])
    expect(toPageUrl(text)).toBeNull()
  expect(toPageUrl("../b?c#d", "http://example.com/x/y/")).toBe("http://example.com/x/b?c")
})
