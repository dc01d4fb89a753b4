import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { MAX_PASSAGE_CHARS } from "../index/page/passage.ts"
import { toPassages } from "./passages.ts"

/** A block of a page, given by its number of words and how they are written. */
const block = fc.record({
  form: fc.constantFrom("paragraph", "heading", "list", "code", "quote", "table", "bold", "link"),
  words: fc.integer({ min: 1, max: 180 }),
})

test("passages contain exactly a page's words, each once and in order", () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 14 }), (blocks) => {
      let next = 0
      const headings = new Set<string>()
      const take = (count: number) => Array.from({ length: count }, () => `w${next++}x`)
      const markdown = blocks
        .map(({ form, words: asked }) => {
          const words = take(form === "heading" ? Math.min(asked, 6) : asked)
          switch (form) {
            case "heading":
              for (const word of words) headings.add(word)
              return `${"#".repeat(1 + (asked % 5))} ${words.join(" ")}`
            case "list":
              return words.map((word) => `- ${word}`).join("\n")
            case "code":
              return `\`\`\`\n${words.join("\n")}\n\`\`\``
            case "quote":
              return `> ${words.join(" ")}`
            case "table":
              return ["| a | b |", "|---|---|", ...words.map((word) => `| ${word} | |`)].join("\n")
            case "bold":
              return `**${words.join(" ")}**`
            case "link":
              return `[${words.join(" ")}](https://x.example/a_(b) "t")`
            default:
              return words.join(asked % 2 === 0 ? " " : ". ")
          }
        })
        .join("\n\n")
      const passages = toPassages(markdown)
      const all = Array.from({ length: next }, (_, at) => `w${at}x`)
      const inTexts = passages.map(({ text }) => text.match(/w\d+x/g) ?? [])
      const inText = inTexts.flat()
      // Words of headings may be in a passage's headings instead of its text, and are repeated for each passage below
      // them.
      const kept = inText.filter((word) => !headings.has(word))
      expect(kept).toEqual(all.filter((word) => !headings.has(word)))
      for (const words of inTexts) {
        const numbers = words.map((word) => Number(word.slice(1, -1)))
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      }
      const beside = new Set([
        ...inText,
        ...passages.flatMap(({ headings }) => headings.join(" ").match(/w\d+x/g) ?? []),
      ])
      expect([...headings].filter((word) => !beside.has(word))).toEqual([])
      expect(passages.filter(({ text }) => text === "" || text.length > MAX_PASSAGE_CHARS)).toEqual([])
    }),
    madeUp(100),
  )
})

test("no text makes splitting fail or makes a passage too long", () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.string({
      unit: fc.constantFrom(
        "#",
        "*",
        "`",
        "|",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "\n",
        "-",
        "_",
        "a",
        "\\",
        "!",
        "&",
        " ",
        "漢",
      ),
      maxLength: 2000,
    }),
  )
  fc.assert(
    fc.property(odd, (markdown) => {
      for (const { text } of toPassages(markdown)) expect(text.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARS)
    }),
    madeUp(300),
  )
})
