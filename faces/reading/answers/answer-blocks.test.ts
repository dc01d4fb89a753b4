import { describe, expect, test } from "vitest"

import { answerBlocks, citesOf, listsOf } from "./answer-blocks.ts"

const STEPS =
  "Start:\n\n1. Pull the lever.\n2. Run it:\n```sh\nmill argv[1] [2]\n\n[3]\n```\n3. Wait. [1]\n\n| name | default |\n|---|---|\n| port | 80 [7] |\n\n[2]"

/** A short form of the view: kinds, texts, and the sources after each unit. */
const shown = (answer: string, isWhole = true) =>
  answerBlocks(answer, isWhole).map((block) => {
    const cites = ({ unit, isLast }: { unit: { cites: readonly number[] }; isLast: boolean }) =>
      isLast ? unit.cites.map((number) => `[${number}]`).join("") : ""
    if (block.kind === "words") return block.parts.map((part) => part.text + cites(part)).join(" ")
    const text =
      block.kind === "list"
        ? block.items.join(" / ")
        : block.kind === "code"
          ? block.text
          : [block.names, ...block.rows].map((cells) => cells.join(", ")).join(" / ")
    return `${block.kind}: ${text}${cites(block)}`
  })

describe("an answer", () => {
  test("is split after its citations; text that continues a line continues the paragraph", () => {
    expect(shown("Run it. [1] Then wait, as [the page] says. [2][3] That is all. [1]\nOr not. [4]")).toEqual([
      "Run it.[1] Then wait, as [the page] says.[2][3] That is all.[1]",
      "Or not.[4]",
    ])
    expect(shown("No answer to this was found in the index.")).toEqual([
      "No answer to this was found in the index.",
    ])
  })

  test("has steps, code and tables; brackets within code and tables are not citations", () => {
    expect(shown(STEPS)).toEqual([
      "Start:",
      "list: 1. Pull the lever. / 2. Run it:",
      "code: mill argv[1] [2]\n\n[3]",
      "list: 3. Wait.[1]",
      "table: name, default / port, 80 [7][2]",
    ])
    expect(citesOf(STEPS)).toEqual([1, 2])
    expect(shown("Use argv[1] or a[2]. [3]")).toEqual(["Use argv[1] or a[2].[3]"])
  })

  test("gives a unit's words without markup", () => {
    const [first] = answerBlocks(STEPS)
    expect(first).toMatchObject({
      parts: [
        {
          unit: {
            pieces: ["Start:", "Pull the lever.", "Run it:", "mill argv[1] [2]", "[3]", "Wait."],
            cites: [1],
          },
        },
      ],
    })
  })

  test("keeps Markdown-like characters within its words", () => {
    expect(shown("Call __init__ of <b>*this*</b>, not [that](http://x.test). [1]")).toEqual([
      "Call __init__ of <b>*this*</b>, not [that](http://x.test).[1]",
    ])
  })

  test("shows no half-written fences, tables or citations while streaming, and what is shown keeps its form", () => {
    let before: string[] = []
    for (let at = 1; at <= STEPS.length; at++) {
      const now = shown(STEPS.slice(0, at), false)
      // The last block grows; earlier blocks stay, except that sources may be added.
      for (const [index, one] of before.entries()) {
        expect(now[index]?.startsWith(one.replace(/(?:\[\d+\])+$/, ""))).toBe(true)
      }
      expect(now.filter((one) => !one.startsWith("code:")).join()).not.toMatch(/`|\||^\[|\[\d?$/)
      before = now
    }
    expect(before).toEqual(shown(STEPS))
    expect(shown("Run it. [1] Then w", false)).toEqual(["Run it.[1] Then w"])
  })
})

test("lists are nested by indentation, and numbered items are kept apart from others", () => {
  expect(listsOf(["2. Two", "  - a", "  - b", "3. Three", "- other"])).toEqual([
    [
      {
        text: "Two",
        number: 2,
        items: [
          { text: "a", number: null, items: [] },
          { text: "b", number: null, items: [] },
        ],
      },
      { text: "Three", number: 3, items: [] },
    ],
    [{ text: "other", number: null, items: [] }],
  ])
})
