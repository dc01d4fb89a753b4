import { describe, expect, it } from "vitest"
import { contentOf } from "./chosen-content.ts"
import { readBody } from "./main-content.ts"
import { toMarkdown } from "./markdown.ts"
import { readTextBlocks } from "./text-blocks.ts"
import { parseTree } from "./tree.ts"

/** The markdown of the blocks whose text holds a plus sign. */
function markdownOf(html: string): string {
  const body = readBody(parseTree(`<body>${html}</body>`))
  const tree = readTextBlocks(body.body, body.unread, new Set())
  const chosen = Uint8Array.from(tree.blocks, ({ text }) => (text.includes("+") ? 1 : 0))
  const rules = { root: body.body, skipped: body.unread, silent: new Set<never>() }
  return toMarkdown(contentOf(tree, chosen, rules, body).root, {
    baseUrl: "https://example.org/",
    ...contentOf(tree, chosen, rules, body),
  })
}

describe("content of chosen blocks", () => {
  it("leaves out the blocks that were not chosen", () => {
    expect(markdownOf("<p>menu</p><div><h2>Title+</h2><p>text+</p><p>share</p></div><p>end</p>")).toBe(
      "## Title+\n\ntext+",
    )
  })

  it("leaves out a box's own text though a block in it stays", () => {
    expect(markdownOf("<p>one+</p><div>label <b>bold</b><p>two+</p></div>")).toBe("one+\n\ntwo+")
  })

  it("leaves out single rows and items", () => {
    expect(markdownOf("<table><tr><th>+<th>A<tr><td>+<td>1<tr><td>no<td>2</table>")).toBe(
      "| + | A |\n| --- | --- |\n| + | 1 |",
    )
    expect(markdownOf("<ul><li>one+<li>two<li>three+</ul>")).toBe("- one+\n- three+")
  })

  it("keeps a picture among the text when its caption goes", () => {
    expect(
      markdownOf(
        '<p>a+</p><figure><img src="/b.png" alt="Bee"><figcaption>Credit</figcaption></figure><p>c+</p>',
      ),
    ).toBe("a+\n\n![Bee](https://example.org/b.png)\n\nc+")
  })
})
