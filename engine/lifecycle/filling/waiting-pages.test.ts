import { expect, test } from "vitest"
import { sourceText } from "../../index/page-record.ts"
import { WaitingPages } from "./waiting-pages.ts"

const page = (id: string, passages = 1, revision = 1, source = "manual") => ({
  id,
  revision,
  passages,
  source,
})
const ALL = { pages: 100, passages: 1000 }
const idsOf = (pages: WaitingPages, inHand = new Map<string, number>()) =>
  pages.next(ALL, inHand).map(({ id }) => id)

test("changed pages go first, then requested ones, then all others by age", () => {
  const pages = new WaitingPages()
  for (const id of ["a", "b", "c", "d"]) pages.add(page(id), "new")
  pages.askFor(["c", "unknown"])
  pages.add(page("e"), "changed")
  const order: string[] = []
  while (pages.size > 0) {
    const some = idsOf(pages)
    order.push(...some)
    for (const id of some) pages.delete(id)
  }
  expect(order).toEqual(["e", "c", "a", "b", "d"])
})

test("a waiting page keeps its place, and never becomes less urgent", () => {
  const pages = new WaitingPages()
  for (const id of ["a", "b"]) pages.add(page(id), "new")
  pages.add(page("a", 3, 2), "new")
  expect(idsOf(pages)).toEqual(["a", "b"])
  expect([pages.revisionOf("a"), pages.passages, pages.size]).toEqual([2, 4, 2])
  pages.add(page("b", 1, 2), "changed")
  pages.add(page("b", 5, 3), "new")
  pages.askFor(["b"])
  expect(pages.next(ALL, new Map())).toEqual([{ ...page("b", 5, 3), urgency: "changed" }])
  expect([pages.passages, pages.size]).toEqual([8, 2])
})

test("a page being embedded is left out, unless it has changed since", () => {
  const pages = new WaitingPages()
  pages.add(page("a", 1, 1), "new")
  pages.add(page("b", 1, 1), "new")
  expect(idsOf(pages, new Map([["a", 1]]))).toEqual(["b"])
  pages.add(page("a", 1, 2), "changed")
  expect(idsOf(pages, new Map([["a", 1]]))).toEqual(["a"])
})

test("no more pages are taken than requested, and only the more urgent ones", () => {
  const pages = new WaitingPages()
  for (const id of ["a", "b", "c"]) pages.add(page(id, 10), "new")
  expect(pages.next({ pages: 2, passages: 1000 }, new Map())).toHaveLength(2)
  expect(pages.next({ pages: 100, passages: 11 }, new Map())).toHaveLength(2)
  expect(pages.next(ALL, new Map(), "new")).toEqual([])
  pages.askFor(["c"])
  expect(pages.next(ALL, new Map(), "new")).toMatchObject([{ id: "c", urgency: "asked" }])
  expect(pages.next(ALL, new Map(), "asked")).toEqual([])
})

test("pages of the preferred source go before unrequested ones, even those added later", () => {
  const pages = new WaitingPages()
  for (const id of ["a", "b"]) pages.add(page(id), "new")
  pages.add(page("f", 1, 1, "forum"), "new")
  pages.add(page("s", 1, 1, sourceText(["forum", "manual"])), "new")
  pages.preferSource("forum")
  pages.add(page("g", 1, 1, "forum"), "new")
  expect(pages.next(ALL, new Map(), "new")).toMatchObject([{ id: "f" }, { id: "s" }, { id: "g" }])
  pages.askFor(["g", "b"])
  expect(idsOf(pages)).toEqual(["g", "b"])
  // A page that can't be embedded doesn't hold up the others.
  pages.putBack(["f"])
  expect(pages.next(ALL, new Map(), "new").map(({ id }) => id)).toEqual(["g", "b"])
  for (const id of ["g", "b"]) pages.delete(id)
  expect(idsOf(pages)).toEqual(["s"])
  pages.preferSource(null)
  expect(idsOf(pages)).toEqual(["s", "a", "f"])
  expect([pages.passages, pages.size]).toEqual([3, 3])
})

test("pages that could not be embedded go last", () => {
  const pages = new WaitingPages()
  pages.add(page("a"), "changed")
  pages.add(page("b"), "new")
  pages.putBack(["a", "unknown"])
  expect(idsOf(pages)).toEqual(["b", "a"])
  expect(pages.passages).toBe(2)
})
