import { expect, test } from "vitest"

import { asking, askedOf, hasFilters, searchOf, toggled } from "./asked.ts"

test("everything the page shows is in its address and can be restored from it", () => {
  const asked = {
    ...asking("how are pumps cleaned? & why"),
    filters: {
      source: ["docs", "a, b"],
      domain: [],
      path: ["/docs/guide"],
      version: ["3.12"],
      type: ["pdf"],
      topic: ["news"],
      language: ["de"],
      published: ["2025"],
    },
    view: "images" as const,
    count: 20,
    copy: { url: "https://example.com/a?b=c#d", passage: "Pumps are cleaned." },
  }
  expect(askedOf(searchOf(asked))).toEqual(asked)
  expect(searchOf(asking("pumps"))).toBe("?q=pumps")
  expect(searchOf(asking(""))).toBe("")
})

test("an address edited by hand shows whatever is valid in it", () => {
  expect(askedOf("?q=%20pumps%20&view=none&count=7&other=1")).toEqual(asking("pumps"))
})

test("filters are added and removed; language and time allow only one", () => {
  const { filters } = asking("pumps")
  const both = toggled(toggled(filters, "type", "pdf"), "type", "docx")
  expect(both.type).toEqual(["pdf", "docx"])
  expect(toggled(both, "type", "pdf").type).toEqual(["docx"])
  expect(toggled(toggled(filters, "language", "de"), "language", "fr").language).toEqual(["fr"])
  expect(hasFilters({ ...asking("pumps"), filters: both })).toBe(true)
  expect(hasFilters(asking("pumps"))).toBe(false)
})
