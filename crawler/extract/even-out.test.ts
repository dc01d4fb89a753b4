import { describe, expect, it } from "vitest"
import { evenOut } from "./even-out.ts"
import { readTextBlocks } from "./text-blocks.ts"
import { parseTree } from "./tree.ts"

function evened(html: string, chosen: readonly number[]): number[] {
  const tree = readTextBlocks(parseTree(html), new Set(), new Set())
  const evened = Uint8Array.from(chosen)
  const words = Float64Array.from(tree.blocks, ({ text }) => text.split(" ").length)
  evenOut(tree, evened, { words, kept: tree.blocks.map(({ text }) => (text === "Menu" ? 0 : 1)) })
  return [...evened]
}

const list = `<ul>${"<li>ten words".repeat(10)}</ul>`

describe("a choice of blocks", () => {
  it("keeps the odd item of a list that is kept, and drops that of one that is not", () => {
    expect(evened(list, [1, 1, 1, 0, 1, 1, 1, 1, 1, 1])).toEqual(Array(10).fill(1))
    expect(evened(list, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])).toEqual(Array(10).fill(0))
  })

  it("leaves a list alone that is of two minds", () => {
    const halves = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    expect(evened(list, halves)).toEqual(halves)
  })

  it("lets a note go with the text before it", () => {
    const html =
      '<p>text</p><aside class="admonition tip"><p>Title</p><p>Note</p></aside><aside>Other</aside>'
    expect(evened(html, [1, 0, 0, 0])).toEqual([1, 1, 1, 0])
    expect(evened(html, [0, 1, 1, 0])).toEqual([0, 0, 0, 0])
  })

  it("keeps a heading with the text it leads, unless the rules left it out", () => {
    const html = "<h1>Bees</h1><h2>Winter</h2><p>text</p><h2>Menu</h2><p>text</p><h2>Shop</h2><p>buy</p>"
    expect(evened(html, [0, 0, 1, 0, 1, 0, 0])).toEqual([1, 1, 1, 0, 1, 0, 0])
  })
})
