import type { Page } from "../index/page/page.ts"
import { type PageUrl, toPageUrl } from "../index/page/page-url.ts"

export function urlOf(address: string): PageUrl {
  const url = toPageUrl(address, "https://docs.example.com/")
  if (!url) throw new TypeError(`${address} is no address`)
  return url
}

/** A page of `docs.example.com` (or of another site, by its full address) with the content that the test is about. */
export function aPage(address: string, about: Partial<Omit<Page, "url">> = {}): Page {
  return {
    url: urlOf(address),
    title: "A page",
    description: null,
    markdown: "Some text.",
    language: "en",
    author: null,
    publishedAt: null,
    topic: null,
    country: null,
    unsafe: false,
    images: [],
    favicon: null,
    source: "docs",
    fetchedAt: new Date("2026-01-02T03:04:05.000Z"),
    ...about,
  }
}

/** A word for a number; it shares no term with the words for other numbers. */
export const rareWord = (i: number): string =>
  `zorq${String(i).replace(/\d/g, (digit) => "bcdfghjklm"[Number(digit)]!)}q`
