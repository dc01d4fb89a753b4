import { expect, test } from "vitest"
import { isPageType } from "./page-types.ts"

test("text for people is a page, and the images and styles of a page are not", () => {
  const pages = [
    ["text/html; charset=utf-8", "https://a.example/"],
    ["application/xhtml+xml", "https://a.example/x"],
    ["text/plain", "https://a.example/notes"],
    ["application/pdf", "https://a.example/x"],
    ["application/octet-stream", "https://a.example/report.docx"],
  ]
  const parts = [
    ["image/png", "https://a.example/a.png"],
    ["text/css", "https://a.example/a.css"],
    ["text/javascript", "https://a.example/a.js"],
    ["application/javascript; charset=utf-8", "https://a.example/a.js"],
    ["application/json", "https://a.example/api"],
    ["application/ld+json", "https://a.example/api"],
    ["application/rss+xml", "https://a.example/feed"],
    ["text/xml", "https://a.example/sitemap.xml"],
    ["text/plain", "https://a.example/robots.txt"],
    ["application/octet-stream", "https://a.example/font.woff2"],
    ["font/woff2", "https://a.example/font"],
    ["", "https://a.example/icon.ico"],
  ]
  expect(pages.filter(([type, place]) => !isPageType(type, place!))).toEqual([])
  expect(parts.filter(([type, place]) => isPageType(type, place!))).toEqual([])
})
