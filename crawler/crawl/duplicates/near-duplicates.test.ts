import { hash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { documentForm } from "./document-form.ts"
import { plainLines, readText } from "./page-text.ts"
import { isLike, isNear, sameButEdges, sameText } from "./near-duplicates.ts"

const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `word${(((from + at) * 7919) % 1000).toString(36)}`)

/** Lines of ten words. */
const long = (from = 0, lines = 30) =>
  Array.from({ length: lines }, (_, at) => words(from + at * 10, 10).join(" "))

const read = (title: string, lines: readonly string[], images: readonly string[] = []) =>
  readText({ title, markdown: lines.join("\n\n"), images: images.map((url) => ({ url })) }).text

test("the stored form of a text stays the same, byte for byte", () => {
  const letters = (from: number) => Array.from({ length: 10 }, (_, i) => String.fromCharCode(from + i))
  const rare = Array.from({ length: 800 }, (_, i) => {
    const [first, second] = [letters(0x61), letters(0x6b)]
    return `w${first[i % 10]}${second[Math.floor(i / 10) % 10]}${"uvwxyzabcd"[Math.floor(i / 100)]}`
  })
  const markdown = [
    "Plain words of a LONG document, 12 of them\n".repeat(30),
    "Größe, e\u0301tude, Wör\u00adter 漢字\n".repeat(20),
    rare.join(" "),
  ].join("")
  const images = [{ url: "https://x.example/a.png?v=1" }]
  const { text, lines } = readText({ title: "A manual (printable version)", markdown, images })
  expect(text).toEqual({
    exact: "mmkVZRjW9lxHxiEA",
    lines: "51.exaibz.17iawsh",
    similar: "82050992465fb656",
    words: 1000,
    title: "X2iDMNBBTUI_vvxp",
    images: "8oc2zK5xmi-10Xd-",
  })
  const form = documentForm("https://x.example/docs/html/manual.html" as PageUrl, "Manual 2.4.1", lines)
  expect(form).toEqual({ stem: "x.example/docs/manual", sketch: expect.any(String), versions: "2.4.1" })
  expect(hash("sha256", form!.sketch, "hex").slice(0, 16)).toBe("2c0244a635119db3")
})

describe("equal texts", () => {
  test("under one title are one page, wherever their links lead", () => {
    const [a, b] = [['Read [more](/a?sid=1 "x") here'], ['Read [more](/a?sid=2 "x") here']]
    expect(sameText(read("More", a), read("more!", b))).toBe("same text")
  })

  test("are one page when one title says print version", () => {
    expect(sameText(read("Guide", long()), read("Guide (print version)", long()))).toBe("same text")
  })

  test("under other titles are different pages, since the title may be the only difference", () => {
    expect(sameText(read("Red shoes", long()), read("Blue shoes", long()))).toBeNull()
  })

  test("that are short need the same title and images", () => {
    const gallery = ["Click to enlarge."]
    expect(sameText(read("Gallery", gallery, ["/1.jpg"]), read("Gallery", gallery, ["/2.jpg"]))).toBeNull()
    expect(sameText(read("Gallery", gallery, ["/1.jpg?v=1"]), read("Gallery", gallery, ["/1.jpg?v=2"]))).toBe(
      "same text",
    )
    expect(sameText(read("", gallery), read("", gallery))).toBeNull()
    expect(sameText(read("", long()), read("", long()))).toBe("same text")
  })

  test("in another order are the same when they are long", () => {
    expect(sameText(read("Prices", long()), read("Prices", long().toReversed()))).toBe("same lines")
    expect(sameText(read("Prices", ["a 1", "b 2"]), read("Prices", ["b 2", "a 1"]))).toBeNull()
    const numbered = (lines: readonly string[]) => lines.map((line, at) => `${at + 1}. ${line}`)
    expect(sameText(read("Prices", numbered(long())), read("Prices", numbered(long().toReversed())))).toBe(
      "same lines",
    )
  })
})

describe("nearly equal texts", () => {
  test.each([
    ["a line above and one below", ["Print this page", ...long(), "Back to the normal view"]],
    ["the time of the answer", [...long(), "Generated 2026-11-21 06:18:22"]],
  ])("with %s are found as near, and are one page", (_, more) => {
    const lines = more.some((line) => /\d:\d/.test(line))
      ? [...long(), "Generated 2026-11-20 23:59:01"]
      : long()
    expect(isNear(read("Guide", lines), read("Guide", more))).toBe(true)
    expect(sameButEdges(lines, more)).toBe(true)
    expect(sameButEdges(more, lines)).toBe(true)
  })

  test.each(["version 2.0", "red", "not"])("with %s in the middle of one are two pages", (word) => {
    const other = long().map((line, at) => (at === 14 ? `${line} ${word}` : line))
    expect(sameButEdges(long(), other)).toBe(false)
  })

  test("with another version, date or word at the foot are two pages", () => {
    for (const [a, b] of [
      ["Version 1.4", "Version 1.5"],
      ["Concert on 2026-11-21", "Concert on 2026-11-22"],
      ["Colour: red", "Colour: blue"],
    ] as const) {
      expect(sameButEdges([...long(), a], [...long(), b])).toBe(false)
      expect(sameButEdges(long(), [...long(), b])).toBe(b === "Colour: blue")
    }
  })

  test("with one more paragraph in the middle, or much more at an end, are two pages", () => {
    const some = words(500, 12).join(" ")
    expect(sameButEdges(long(), [...long().slice(0, 9), some, ...long().slice(9)])).toBe(false)
    expect(sameButEdges(long(), [...long(), ...long(900, 5)])).toBe(false)
  })

  test("are never found as near under other titles, or if they are short", () => {
    expect(isNear(read("A", long()), read("B", long()))).toBe(false)
    expect(isNear(read("A", long(0, 3)), read("A", long(0, 3)))).toBe(false)
  })
})

test("a page resembles a canonical with most of its text, and not another page", () => {
  const page = read("Guide", long())
  expect(isLike(page, read("Guide, on one page", ["Print", ...long(), ...words(800, 12)]))).toBe(true)
  expect(isLike(page, read("Home", long(500)))).toBe(false)
})

test("a text equals itself, whatever it contains", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (markdown, title) => {
      const { text, lines } = readText({ title, markdown, images: [] })
      const again = readText({ title, markdown, images: [] })
      expect(again.text).toEqual(text)
      expect(isLike(text, again.text)).toBe(true)
      expect(lines.length === 0 || sameButEdges(lines, again.lines)).toBe(true)
    }),
  )
})

test("reading a text takes time proportional to its length", () => {
  for (const piece of ["](", "[a](b", '](x "', "![", "- 1. "]) {
    expect(plainLines(piece.repeat(200_000)).length).toBeGreaterThan(0)
  }
})
