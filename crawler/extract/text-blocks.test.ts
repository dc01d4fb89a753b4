import { describe, expect, it } from "vitest"
import { readTextBlocks } from "./text-blocks.ts"
import { type Element, firstElement, parseTree } from "./tree.ts"

const NONE: ReadonlySet<Element> = new Set()
const textsOf = (html: string) => readTextBlocks(parseTree(html), NONE, NONE).blocks.map(({ text }) => text)

describe("text blocks", () => {
  it("takes a page apart into its innermost blocks, in reading order", () => {
    expect(textsOf("<h1>Bees</h1><div><p>One <b>two</b></p><ul><li>three<li>four</ul></div>")).toEqual([
      "Bees",
      "One two",
      "three",
      "four",
    ])
  })

  it("takes all text of a box outside its inner blocks for one", () => {
    expect(textsOf("<div>before<p>inside</p>after</div>")).toEqual(["before after", "inside"])
  })

  it("keeps headings, code and rows of data whole, but not rows that only place things", () => {
    expect(textsOf("<h2>One<div>two</div></h2><pre>a<div>b</div></pre>")).toEqual(["One two", "a b"])
    expect(textsOf("<table><tr><td>Name<td>Use</table>")).toEqual(["Name Use"])
    expect(textsOf("<table><tr><td><h2>A</h2>text<td>Other</table>")).toEqual(["text", "A", "Other"])
  })

  it("tells every box which blocks are below it", () => {
    const { root, blocks } = readTextBlocks(
      parseTree("<main><p>a</p><p>b</p></main><footer>c</footer>"),
      NONE,
      NONE,
    )
    const below = root.children.map(({ start, end }) => blocks.slice(start, end).map(({ text }) => text))
    expect(below).toEqual([["a", "b"], ["c"]])
  })

  it("counts what is linked and what was left out already", () => {
    const document = parseTree('<p>12345<a href="/x">678</a><span class="share">9</span></p>')
    const share = firstElement(document, (element) => element.tag === "span")!
    expect(readTextBlocks(document, NONE, new Set([share])).blocks).toMatchObject([
      { text: "123456789", chars: 9, linkChars: 3, links: 1, droppedChars: 1 },
    ])
  })
})
