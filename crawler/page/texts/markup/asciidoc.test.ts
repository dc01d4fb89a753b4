import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { fileOf, headingsIn, read } from "../testing/read-page.ts"

test("a page of Asciidoctor's manual keeps its headings, lists, code and notes, without markup", async () => {
  const page = await read("safe-modes.adoc", fileOf("safe-modes.adoc"))
  expect(page.title).toBe("Safe Modes")
  expect(headingsIn(page)).toHaveLength(4)
  expect(page.markdown).toContain("- disables `docinfo` files")
  expect(page.markdown).toContain("> **Tip**\n>\n> GitHub processes AsciiDoc files using the `SECURE` mode.")
  expect(page.markdown).not.toMatch(/xref:|\[source|^==|^\* |\/\/\/\//m)
})

test("endlessly nested quotes are rejected", async () => {
  await expect(read("deep.adoc", "> ".repeat(20_000))).rejects.toMatchObject({
    kind: "unsupported",
    message: "its blocks are nested too deeply",
  })
})

test("tables, code with its language, nested lists and header attributes are read", async () => {
  const page = await read(
    "guide.adoc",
    `= The *pump* guide
Ann Lee <ann@example.org>; Bob Ray
v1.2, 2024-03-05
:description: How to pump.
:toc:
:pump: Pump 3000

{pump} is at https://pump.example/buy[the shop].

== Sizes

|===
|Size |Litres

|small |2
|===

. Fill it.
.. Slowly.
+
[source,ruby]
----
puts 1 < 2
----

stem:[x < 2] in a formula.
`,
  )
  expect(page).toMatchObject({
    title: "The pump guide",
    author: "Ann Lee, Bob Ray",
    description: "How to pump.",
    publishedAt: new Date("2024-03-05"),
    links: [{ url: "https://pump.example/buy", text: "the shop" }],
  })
  expect(page.markdown).toContain("Pump 3000 is at [the shop](https://pump.example/buy).\n\n## Sizes")
  expect(page.markdown).toContain("| Size | Litres |\n| --- | --- |\n| small | 2 |")
  expect(page.markdown).toContain("```ruby\n      puts 1 < 2")
  expect(page.markdown).toContain("x < 2 in a formula")
})

describe("nothing that a document refers to is read", () => {
  test("neither files nor addresses", async () => {
    const folder = mkdtempSync(join(tmpdir(), "fossick-asciidoc-"))
    writeFileSync(join(folder, "secret.txt"), "the secret words")
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      response.end("the secret words")
    }).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret.txt`
    try {
      const page = await read(
        "evil.adoc",
        `= Title
:allow-uri-read:
:safe: unsafe
:docinfo: shared
:data-uri:
:source-highlighter: highlight.js

Text.

include::${join(folder, "secret.txt")}[]

include::${address}[]

image::${address}[]

----
include::${join(folder, "secret.txt")}[]
----

[%inline]
image::${join(folder, "secret.txt")}[format=svg]

|===
a|include::${join(folder, "secret.txt")}[]
|===
`,
      )
      expect(page.markdown).toContain("Text.")
      expect(page.markdown).not.toContain("secret words")
      expect(asked).toBe(0)
    } finally {
      server.close()
      rmSync(folder, { recursive: true })
    }
  })

  test("nor scripts in a passthrough block", async () => {
    const page = await read(
      "pass.adoc",
      "Text.\n\n++++\n<script>alert(1)</script>\n<p hidden>unseen</p>\n++++\n",
    )
    expect(page.markdown).toBe("Text.")
  })
})
