import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { copyAfter, digestOf, holdsText, isMarkdown, type MarkdownCopy, mayStand } from "./markdown-copy.ts"

const DAY = 86_400_000
const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(" ")

const COPY: MarkdownCopy = {
  at: "https://site.example/a" as PageUrl,
  digest: "d",
  pageBytes: 1000,
  readAt: 100 * DAY,
  checks: 0,
}

test("a copy matches a page if it has 97 of 100 of its words, whatever their marks, addresses and order", () => {
  expect(holdsText(words(3, 100), words(0, 100))).toBe(true)
  expect(holdsText(words(4, 100), words(0, 100))).toBe(false)
  expect(holdsText("WORD two *three*", "[word](https://a.example/very/long) **three** two")).toBe(false)
  expect(holdsText("WORD two *three* and then some", "[word](/long/address) **three** two")).toBe(true)
  expect(holdsText("", words(0, 100))).toBe(false)
})

test("a web page is not markdown, even if its type says so; markdown may have HTML in it", () => {
  expect(isMarkdown("\n<!DOCTYPE html><p>Sign in")).toBe(false)
  expect(isMarkdown("<html lang=en><p>Sign in")).toBe(false)
  expect(isMarkdown("PK\u0003\u0004\0\0")).toBe(false)
  expect(isMarkdown('<p align="center">Logo</p>\n\n# Title')).toBe(true)
})

test("a matching copy replaces its page for three visits and 14 days", () => {
  const now = COPY.readAt + DAY
  expect([0, 2, 3].map((checks) => mayStand({ ...COPY, checks }, now))).toEqual([true, true, false])
  expect([13.9, 14].map((days) => mayStand(COPY, COPY.readAt + days * DAY))).toEqual([true, false])
  expect(mayStand({ ...COPY, digest: null }, now)).toBe(false)
})

test("a copy that stayed the same while its page changed no longer replaces it", () => {
  expect(copyAfter(COPY, COPY, true)).toEqual(COPY)
  expect(copyAfter(COPY, COPY, false)).toEqual({ ...COPY, digest: null })
  expect(copyAfter({ ...COPY, digest: "e" }, COPY, false)).toMatchObject({ digest: "e" })
  expect(copyAfter(undefined, COPY, true)).toBeNull()
})

test("a digest depends on the text and on X-Robots-Tag", () => {
  const digest = (text: string, tag?: string) => digestOf(Buffer.from(text), tag)
  const all = [digest("a"), digest("b"), digest("a", "noindex"), digest("a", "nofollow")]
  expect(new Set(all).size).toBe(4)
  expect(digest("a", "noindex")).toBe(all[2])
})
