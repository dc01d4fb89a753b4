import { describe, expect, test } from "vitest"
import type { Passage } from "../../page.ts"
import { bestPassages } from "./best-passages.ts"

const passage = (text: string): Passage => ({ text, headings: [] })

/** Passages that tell which of them were read. */
function readable(texts: readonly string[]) {
  const passages = texts.map(passage)
  const read = new Set<number>()
  const at = (positions: Iterable<number>) =>
    new Map([...positions].map((position) => [position, (read.add(position), passages[position]!)]))
  return { read, all: () => [...at(passages.keys()).values()], at }
}

describe("the best passages of a page", () => {
  test("are those that hold the words and are near", () => {
    const page = readable(["nothing here", "a pump and a valve", "a pump", "a valve far away"])
    const found = bestPassages(page, ["pump", "valve"], new Map([[2, 0.6]]), 2)
    expect(found.map(({ position }) => position)).toEqual([2, 1])
    expect(found[0]).toEqual({ text: "a pump", headings: [], position: 2 })
  })

  test("are found without reading those that cannot be among them", () => {
    const texts = Array.from({ length: 100 }, (_, i) => `pump number ${i}`)
    texts[40] = "nothing said"
    const cosines = new Map([
      [7, 0.2],
      [40, 0.7],
      [41, 0.69],
      [90, 0.68],
    ])
    const page = readable(texts)
    const found = bestPassages(page, ["pump"], cosines, 2)
    expect([...page.read].toSorted((a, b) => a - b)).toEqual([40, 41, 90])
    const whole = readable(texts)
    const all = bestPassages(
      { all: whole.all, at: () => new Map(whole.all().entries()) },
      ["pump"],
      cosines,
      2,
    )
    expect(found).toEqual(all)
    expect(found.map(({ position }) => position)).toEqual([41, 90])
  })
})
