import { describe, expect, test } from "vitest"

import { citationsOf } from "./citations.ts"
import type { Source } from "../sources/evidence.ts"
import { aSource } from "../testing/findings.ts"

const source = (given: Partial<Source> = {}): Source =>
  aSource("All about pumps", {
    url: "https://www.pumps.example/a(b)",
    author: "Ada Field",
    published: Date.UTC(2024, 2, 9),
    fetched: Date.UTC(2026, 0, 5),
    ...given,
  })
const SOURCES = [
  source(),
  source({ url: "https://b.example/", title: "Seals [1]", author: null, published: null }),
]

describe("sources are cited", () => {
  test("by number in order of first use, and only if used", () => {
    const citations = citationsOf([...SOURCES, source({ url: "https://never.example/" })], "numbered")
    expect(citations.mark([1])).toBe("[1]")
    expect(citations.mark([0, 1])).toBe("[2][1]")
    expect(citations.list()).toBe(
      "## Sources\n\n1. [Seals \\[1\\]](https://b.example/), read 5 Jan 2026\n2. [All about pumps](https://www.pumps.example/a%28b%29), published 9 Mar 2024",
    )
    expect(citations.cited.map(({ url }) => url)).toEqual([SOURCES[1]!.url, SOURCES[0]!.url])
  })

  test.each([
    [
      "mla",
      "(Ada Field; “Seals [1]”)",
      [
        "## Works Cited",
        "Ada Field. “All about pumps.” *pumps.example*, 9 Mar 2024, https://www.pumps.example/a(b). Accessed 5 Jan 2026.",
        "“Seals [1].” *b.example*, https://b.example/. Accessed 5 Jan 2026.",
      ],
    ],
    [
      "apa",
      "(Ada Field, 2024; “Seals [1]”, n.d.)",
      [
        "## References",
        "*Seals [1]*. (n.d.). b.example. https://b.example/",
        "Ada Field. (2024, March 9). *All about pumps*. pumps.example. https://www.pumps.example/a(b)",
      ],
    ],
    [
      "chicago",
      "(Ada Field 2024; “Seals [1]” n.d.)",
      [
        "## Bibliography",
        "Ada Field. 2024. “All about pumps.” pumps.example. March 9. https://www.pumps.example/a(b).",
        "“Seals [1].” n.d. b.example. https://b.example/.",
      ],
    ],
  ] as const)("in the style %s", (format, inText, list) => {
    const citations = citationsOf(SOURCES, format)
    expect(citations.mark([0, 1])).toBe(inText)
    expect(citations.list().split("\n\n")).toEqual(list)
  })

  test("distinctly when they would read alike", () => {
    const alike = [source(), source({ url: "https://other.example/", title: "More about pumps" })]
    const citations = citationsOf(alike, "apa")
    expect(citations.mark([0])).toBe("(Ada Field, 2024a)")
    expect(citations.mark([1])).toBe("(Ada Field, 2024b)")
    expect(citations.list()).toContain("(2024b, March 9). *More about pumps*")
  })

  test("with the pages of documents", () => {
    const iv = { kind: "page", page: "iv", anchor: "page=6" } as const
    const nine = { kind: "page", page: "9", anchor: "page=17" } as const
    const over = { kind: "page", page: "9–10", anchor: "page=17" } as const
    const slide = { kind: "slide", page: "3" } as const
    const named = (format: "numbered" | "mla" | "apa" | "chicago") => {
      const citations = citationsOf(SOURCES, format)
      const marks = [
        citations.mark([0, 1], { 0: nine, 1: slide }),
        citations.mark([0], { 0: iv }),
        citations.mark([0], { 0: over }),
        citations.mark([0]),
      ]
      return { marks, list: citations.list(), cited: citations.cited }
    }
    const numbered = named("numbered")
    expect(numbered.marks).toEqual(["[1][2]", "[1]", "[1]", "[1]"])
    expect(numbered.list).toBe(
      "## Sources\n\n1. [All about pumps](https://www.pumps.example/a%28b%29#page=6), pp. iv, 9–10, published 9 Mar 2024\n2. [Seals \\[1\\]](https://b.example/), slide 3, read 5 Jan 2026",
    )
    expect(numbered.cited).toEqual([
      { ...SOURCES[0], pages: [iv, over] },
      { ...SOURCES[1], pages: [slide] },
    ])
    expect(named("mla").marks.slice(0, 2)).toEqual(["(Ada Field 9; “Seals [1]”, slide 3)", "(Ada Field iv)"])
    expect(named("apa").marks).toEqual([
      "(Ada Field, 2024, p. 9; “Seals [1]”, n.d., slide 3)",
      "(Ada Field, 2024, p. iv)",
      "(Ada Field, 2024, pp. 9–10)",
      "(Ada Field, 2024)",
    ])
    expect(named("chicago").marks.slice(1, 3)).toEqual(["(Ada Field 2024, iv)", "(Ada Field 2024, 9–10)"])
    expect(named("apa").list).not.toContain("#page")
  })

  test("without a list if nothing was cited, and a file without an address", () => {
    expect(citationsOf(SOURCES, "numbered").list()).toBe("")
    const citations = citationsOf([source({ url: "file:notes.md", title: "notes.md" })], "numbered")
    citations.mark([0])
    expect(citations.list()).toBe("## Sources\n\n1. notes.md")
  })
})
