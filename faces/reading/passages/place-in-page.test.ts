import { expect, test } from "vitest"

import { placeOf, wayIn } from "./place-in-page.ts"

const MANUAL = "https://docs.example/manual.pdf"
const manual = (given: object = {}) => ({
  url: MANUAL,
  title: "Manual",
  type: "pdf" as const,
  section: { heading: "Seals", page: "iv", url: `${MANUAL}#page=6` },
  ...given,
})

test("a PDF passage shows its heading and page, and the result opens there", () => {
  expect(placeOf(manual(), 0)).toEqual({ text: "Seals · page iv", to: `${MANUAL}#page=6` })
  expect(wayIn(manual())).toBe(`${MANUAL}#page=6`)
  const over = manual({ section: { heading: null, page: "12–13", url: `${MANUAL}#page=20` } })
  expect(placeOf(over, 0)?.text).toBe("pages 12–13")
  expect(wayIn(manual({ section: undefined }))).toBe(MANUAL)
})

test("each passage has its own page, and only the best one has a heading", () => {
  const pages = [
    { page: "2", url: `${MANUAL}#page=10` },
    { page: "iv", url: `${MANUAL}#page=6` },
  ]
  expect(placeOf(manual({ pages }), 0)).toEqual({ text: "page 2", to: `${MANUAL}#page=10` })
  expect(placeOf(manual({ pages }), 1)?.text).toBe("Seals · page iv")
  const shown = [0, 1].map((at) => placeOf(manual({ pages }), at))
  expect(wayIn(manual({ pages }), shown)).toBe(`${MANUAL}#page=6`)
  expect(wayIn(manual({ pages }), shown.slice(0, 1))).toBe(`${MANUAL}#page=10`)
})

test("a presentation passage shows the slide's number once, without an address", () => {
  const slides = { ...manual(), url: "https://docs.example/talk.pptx", type: "pptx" as const }
  const titled = { ...slides, section: { heading: "Outlook", page: "3" } }
  expect(placeOf(titled, 0)).toEqual({ text: "Outlook · slide 3", to: undefined })
  expect(placeOf({ ...slides, section: { heading: "Slide 3", page: "3" } }, 0)?.text).toBe("slide 3")
  expect(wayIn(titled)).toBe(slides.url)
})

test("a web page opens at the top, and its heading leads to the section", () => {
  const url = "https://docs.example/seals"
  const page = { ...manual(), url, type: "html" as const, section: { heading: "Care", url: `${url}#care` } }
  expect(placeOf(page, 1)).toEqual({ text: "Care", to: `${url}#care` })
  expect(wayIn(page)).toBe(url)
  expect(placeOf({ ...page, section: { heading: "Manual" } }, 0)).toBeNull()
  expect(placeOf({ ...page, section: undefined }, 0)).toBeNull()
})
