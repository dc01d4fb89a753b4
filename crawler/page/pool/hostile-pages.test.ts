import { expect, test } from "vitest"
import { ReaderPool } from "./reader-pool.ts"

/** The size of the largest pages that a thread reads: see reader.ts. */
const MAX_BYTES = 2_000_000

test("pages made to exhaust their thread fail alone", async () => {
  await using pool = new ReaderPool({ places: 1, timeoutMs: 60_000 })
  const read = async (html: string) => {
    const body = new TextEncoder().encode(`<article>${html}`).slice(0, MAX_BYTES)
    const url = "https://x.example/"
    const result = await pool.read({ url, kind: "html", contentType: "text/html", charset: "utf-8", body })
    return result.kind
  }
  const shapes = {
    boxes: `${"<div>".repeat(1_000_000)}deep`,
    attributes: `<div ${Array.from({ length: 1_000_000 }, (_, at) => `a${at}=b`).join(" ")}>text</div>`,
    cells: `<table>${`<tr>${"<td>x".repeat(1000)}`.repeat(1000)}</table>`,
    data: `<script type="application/ld+json">[${"[[],{}],".repeat(1_200_000)}0]</script>`,
    lists: "<ul><li>x".repeat(200_000),
    drawings: "<svg><math><svg>".repeat(120_000),
    words: `<p>${"word ".repeat(2_000_000)}`,
  }
  const kinds: Record<string, string> = {}
  for (const [name, html] of Object.entries(shapes)) {
    kinds[name] = await read(html)
    expect(await read("<p>A healthy page.")).toBe("read")
  }
  // Whether reading a page is abandoned depends on the version of V8. Either way the outcome is reported properly, and
  // this process survives.
  for (const [name, kind] of Object.entries(kinds))
    expect([name, kind]).toEqual([name, expect.stringMatching(/^(?:read|too-large)$/)])
})
