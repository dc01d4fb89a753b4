import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { Page } from "../../../index/page/page.ts"
import { aPage } from "../../../testing/pages.ts"
import { writeWarc } from "./write-warc.ts"

const holding = (...pages: Page[]) => ({
  async *allPages() {
    for (const page of pages) yield { page, vectors: null }
  },
})

async function recordsOf(parts: AsyncIterable<{ readonly bytes: Buffer }>): Promise<string[]> {
  const records: string[] = []
  for await (const { bytes } of parts) records.push(gunzipSync(bytes).toString())
  return records
}

test("each page is a separate record, with its text, its metadata and a checksum", async () => {
  const markdown = "# Otters\n\nOtters hold hands — asleep."
  const page = aPage("otters", {
    title: "Otters",
    markdown,
    publishedAt: new Date("2020-01-02T03:04:05.678Z"),
  })
  const [info, otters, ...others] = await recordsOf(writeWarc(holding(page)))
  expect(others).toEqual([])
  expect(info).toMatch(/^WARC\/1\.1\r\nWARC-Type: warcinfo\r\n/)
  const [head, ...blocks] = otters!.split("\r\n\r\n")
  expect(blocks).toEqual([markdown, ""])
  const lines = head!.split("\r\n")
  expect(lines).toEqual(
    expect.arrayContaining([
      "WARC-Type: conversion",
      `WARC-Target-URI: ${page.url}`,
      "Content-Type: text/markdown; charset=utf-8",
      "Fossick-Title: Otters",
      "Fossick-Published: 2020-01-02T03:04:05.678Z",
      `Content-Length: ${Buffer.byteLength(markdown)}`,
    ]),
  )
  const digest = /sha1:([A-Z2-7]{32})$/.exec(lines.find((line) => line.startsWith("WARC-Block-Digest"))!)![1]!
  const bits = Array.from(digest).map((digit) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit).toString(2).padStart(5, "0"),
  )
  const bytes = bits
    .join("")
    .match(/.{8}/g)!
    .map((byte) => Number.parseInt(byte, 2))
  expect(Buffer.from(bytes).toString("hex")).toBe(createHash("sha1").update(markdown).digest("hex"))
})

test("no title can inject a header field", async () => {
  const page = aPage("evil", { title: "Otters\r\nWARC-Type: response\r\n\r\nHTTP/1.1 200 OK" })
  const [, evil] = await recordsOf(writeWarc(holding(page)))
  expect(evil).toContain("Fossick-Title: Otters WARC-Type: response HTTP/1.1 200 OK\r\n")
})

test("only the source's pages are written, and the same page gives the same record again", async () => {
  const mine = { ...aPage("mine"), source: "docs", sharedWith: ["wiki"] }
  const pages = [mine, { ...aPage("other"), source: "blog" }]
  const [, ...first] = await recordsOf(writeWarc(holding(...pages), { source: "wiki" }))
  const [, ...again] = await recordsOf(writeWarc(holding(...pages), { source: "wiki" }))
  const id = (record: string) => /WARC-Record-ID: (.*)/.exec(record)?.[1]
  expect(first.map((one) => /WARC-Target-URI: (.*)/.exec(one)?.[1])).toEqual([mine.url])
  expect(again.map(id)).toEqual(first.map(id))
})

test("pages with restricted readers are left out, and counted", async () => {
  const readers = [{ source: "docs", allow: [["group:hr"]], deny: [] }]
  const pages = [aPage("pay", { readers }), aPage("open"), { ...aPage("plan"), sharedWith: ["board"] }]
  let leftOut = 0
  const options = { closed: ["board"], onLeftOut: () => void (leftOut += 1) }
  const [, ...written] = await recordsOf(writeWarc(holding(...pages), options))
  expect(written.map((one) => /WARC-Target-URI: (.*)/.exec(one)?.[1])).toEqual([pages[1]!.url])
  expect(leftOut).toBe(2)
})
