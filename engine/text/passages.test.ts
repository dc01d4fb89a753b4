import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MAX_PASSAGE_CHARS, MAX_SHOWN_CHARS, type Passage } from "../index/page/passage.ts"
import type { PageAnchor } from "../index/page/page.ts"
import { embeddingText, toPassages } from "./passages.ts"

const SENTENCE = "The crawler waits between two requests to one host. "
const withoutAnchors = (passages: readonly Passage[]) =>
  passages.map(({ text, shown, headings }) => ({ text, shown, headings }))
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

describe("passages", () => {
  it("are plain text with their heading path", () => {
    const passages = toPassages(
      `# Guide\n\n${SENTENCE.repeat(8)}\n\n## Crawl\n\n### Politeness\n\nSee the **second** [page](https://x.test/a_(b) "t"): \`delay\`, ![a picture](p.png). ${SENTENCE.repeat(5)}`,
    )
    expect(passages).toHaveLength(2)
    expect(passages[0]!.headings).toEqual(["Guide"])
    expect(passages[1]!.headings).toEqual(["Guide", "Crawl", "Politeness"])
    expect(passages[1]!.text).toMatch(/^See the second page: delay, a picture\. The crawler/)
  })

  it.each([
    ["Hindi", "यह बंदरगाह शहर के पूर्व में है।"],
    ["Urdu", "یہ بندرگاہ شہر کے مشرق میں ہے۔"],
    ["Armenian", "Նավահանգիստը քաղաքի արևելքում է։"],
    ["Khmer", "កំពង់ផែនេះស្ថិតនៅខាងកើតទីក្រុង។"],
    ["Arabic", "هل يقع هذا الميناء شرق المدينة؟"],
    ["Chinese", "这个港口在城市的东边。"],
  ])("end at a sentence in long text: %s", (_, sentence) => {
    const passages = toPassages(Array.from({ length: 60 }, () => sentence).join(" "))
    expect(passages.length).toBeGreaterThan(1)
    expect(passages.filter(({ text }) => !text.endsWith(sentence.at(-1)!))).toEqual([])
  })

  it("do not leave a few words over at the end", () => {
    const list = `${SENTENCE.repeat(9)}Afterwards it goes on with the other host of 2).`
    expect(toPassages(list).map(({ text }) => text.length > 80)).toEqual([true, true])
    const lines = `${SENTENCE.repeat(3)}\n\n${SENTENCE.repeat(3)}\n\n${SENTENCE.repeat(3)}\n\nHere ends the list of all the hosts.`
    expect(toPassages(lines).at(-1)!.text).toBe(
      `${SENTENCE.repeat(3).trim()}\nHere ends the list of all the hosts.`,
    )
  })

  it("keep text that only looks like markup", () => {
    const [passage] = toPassages(
      "2 * 3 * 4, foo_bar_baz, Vec<T>, a\\*b, R&amp;D, [not a link], x < y, `*code*`",
    )
    expect(passage!.text).toBe("2 * 3 * 4, foo_bar_baz, Vec<T>, a*b, R&D, [not a link], x < y, *code*")
  })

  it("keep formulas as they are written, next to money", () => {
    const [passage] = toPassages(
      "Pay \\$5, or **$6** to $7, where $a_{*} \\{b_*\\}$ and\n\n$$\\sum_{i} *x*$$",
    )
    expect(passage!.text).toBe("Pay $5, or $6 to $7, where $a_{*} \\{b_*\\}$ and\n$$\\sum_{i} *x*$$")
  })

  it("keep the lines of code, tables and lists", () => {
    const markdown =
      "```ts\nif (a) {\n\n  b()\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two\n3. three"
    expect(toPassages(markdown)[0]!.text).toBe("if (a) {\n  b()\n}\na | b\n1 | 2\n- one\n- two\n3. three")
  })

  it("join short neighbours under their shared headings, with their other headings in the text", () => {
    expect(toPassages("# Reference\n\n## Left\n\nOne.\n\n## Right\n\nTwo.\n")).toEqual([
      { headings: ["Reference"], text: "Left\nOne.\nRight\nTwo." },
    ])
  })

  it("contain the heading over two joined sections once", () => {
    expect(
      toPassages("Begin here.\n\n## Install\n\nAny system.\n\n### Linux\n\nUse apt.\n\n## Run\n\nNow."),
    ).toEqual([{ headings: [], text: "Begin here.\nInstall\nAny system.\nLinux\nUse apt.\nRun\nNow." }])
  })

  describe("link to their place", () => {
    const anchored = (markdown: string, ...anchors: PageAnchor[]) =>
      toPassages(markdown, anchors).map(({ text, headings, pages, ...place }) => ({
        ...place,
        at: [...headings].pop(),
      }))

    it("by their heading's anchor, or the nearest one above that has one", () => {
      const long = SENTENCE.repeat(8)
      const markdown = `${long}\n\n# A\n\n${long}\n\n${long}\n\n## B\n\n${long}\n\n## C\n\n${long}\n\n# D\n\n${long}`
      const line = (of: string) => markdown.split("\n").indexOf(of)
      expect(anchored(markdown, [line("# A"), "a"], [line("## B"), "b"])).toEqual([
        { at: undefined },
        { at: "A", anchor: "a" },
        { at: "A", anchor: "a" },
        { at: "B", anchor: "b" },
        { at: "C", anchor: "a" },
        { at: "D" },
      ])
    })

    it("by the last anchor before them in their section", () => {
      const long = SENTENCE.repeat(8)
      const markdown = `# A\n\n${long}\n\n${long}\n\n${long}\n\n# B\n\n${long}`
      expect(anchored(markdown, [0, "page=1"], [4, "page=2"], [8, "page=3"])).toEqual([
        { at: "A", anchor: "page=1" },
        { at: "A", anchor: "page=2" },
        { at: "A", anchor: "page=2" },
        { at: "B", anchor: "page=3" },
      ])
    })

    it("by the first of several short sections in one passage", () => {
      expect(anchored("# R\n\n## Left\n\nOne.\n\n## Right\n\nTwo.", [2, "left"], [6, "right"])).toEqual([
        { at: "R", anchor: "left", beginsUnder: "Left" },
      ])
      expect(anchored("Hello.\n\n# Left\n\nOne.\n\n# Right\n\nTwo.", [2, "left"], [6, "right"])).toEqual([
        { at: undefined, anchor: "left", beginsUnder: "Left" },
      ])
      expect(anchored("One.\n\n# Right\n\nTwo.", [0, "page=1"], [2, "page=2"])).toEqual([
        { at: undefined, anchor: "page=1" },
      ])
      expect(anchored("# R\n\nOne.\n\n## Right\n\nTwo.", [0, "r"], [4, "right"])).toEqual([
        { at: "R", anchor: "r" },
      ])
      expect(anchored("# Alone", [0, "alone"])).toEqual([
        { at: undefined, anchor: "alone", beginsUnder: "Alone" },
      ])
    })

    it("by the paragraph line where they begin, and with their page numbers", () => {
      const long = SENTENCE.repeat(8)
      const turned = `# A\n\n${long}${SENTENCE.repeat(3)}\n${long}${long}`
      expect(anchored(turned, [0, "page=9", "v"], [2, "page=9", "v"], [3, "page=10", "vi"])).toEqual([
        { at: "A", anchor: "page=9", page: "v" },
        { at: "A", anchor: "page=9", page: "v–vi" },
        { at: "A", anchor: "page=10", page: "vi" },
      ])
      const item = `- ${long}${SENTENCE.repeat(3)}\n  ${long}`
      expect(anchored(item, [0, "", "1"], [1, "", "2"]).map(({ page }) => page)).toEqual(["1", "1–2", "2"])
      const short = "# A\n\nOne \\*and\nmore of it.\n\n# B\n\nTwo."
      const anchors: PageAnchor[] = [
        [0, "page=1", "i"],
        [3, "page=2", "ii"],
        [5, "page=3", "iii"],
      ]
      expect(anchored(short, ...anchors)).toEqual([
        { at: undefined, anchor: "page=1", page: "i–iii", beginsUnder: "A" },
      ])
      const [{ text, pages = [] }] = toPassages(short, anchors) as [Passage]
      expect(
        pages.map(([at, fragment, page], i) => [text.slice(at, pages[i + 1]?.[0]), fragment, page]),
      ).toEqual([
        ["A\nOne *and ", "page=1", "i"],
        ["more of it.\n", "page=2", "ii"],
        ["B\nTwo.", "page=3", "iii"],
      ])
    })

    it("and are split the same way with and without anchors", () => {
      const block = fc.oneof(
        fc.constantFrom(
          "# A",
          "## B",
          "### C",
          "- one\n- two",
          "| a | b |\n|---|---|\n| 1 | 2 |",
          "```\nx\n\ny\n```",
        ),
        fc.nat(40).map((n) => SENTENCE.repeat(n)),
      )
      fc.assert(
        fc.property(
          fc.array(block, { maxLength: 12 }),
          fc.array(fc.nat(60), { maxLength: 8 }),
          (blocks, lines) => {
            const markdown = blocks.join("\n\n")
            const anchors = lines
              .toSorted((a, b) => a - b)
              .map((line): [number, string] => [line, `l${line}`])
            const cut = withoutAnchors(toPassages(markdown, anchors))
            expect(cut).toEqual(withoutAnchors(toPassages(markdown)))
          },
        ),
      )
    })
  })

  it("break a long paragraph between sentences, and a long sentence between words", () => {
    const sentences = toPassages(SENTENCE.repeat(30))
    expect(sentences.every(({ text }) => text.endsWith("."))).toBe(true)
    const words = toPassages("word ".repeat(400))
    expect(words.every(({ text }) => /^(?:word )*word$/.test(text))).toBe(true)
    expect(words.length).toBe(4)
  })

  it("break a word only when it is too long on its own, and never within a character", () => {
    const passages = toPassages("𝒳".repeat(600))
    expect(passages.map(({ text }) => text).join("")).toBe("𝒳".repeat(600))
    expect(passages.every(({ text }) => text.isWellFormed())).toBe(true)
  })

  it("keep a very long heading as text, so that later passages do not repeat it", () => {
    const passages = toPassages(`# ${"endless ".repeat(2000)}\n\n${`${SENTENCE}\n\n`.repeat(100)}`)
    expect(passages.flatMap(({ headings }) => headings)).toEqual([])
    expect(passages.map(({ text }) => text).join(" ")).toContain("endless endless")
  })

  it("include a heading with nothing below it", () => {
    expect(toPassages("# Alone")).toEqual([{ headings: [], text: "Alone" }])
    expect(toPassages("")).toEqual([])
    expect(toPassages("   \n\n---\n")).toEqual([])
  })

  it("handle text that opens markup endlessly without closing it", () => {
    for (const mark of ["[", "*a ", "a`", "<", "![", "_a*", "> ", "<!--", "](", "```\n", "| a "]) {
      expect(toPassages(`${mark.repeat(20_000)}end`).at(-1)!.text).toContain("end")
    }
  })

  const anyBlock = fc.oneof(
    fc.lorem({ mode: "sentences", maxCount: 12 }),
    fc.lorem({ maxCount: 4 }).map((text) => `## ${text}`),
    fc.lorem({ maxCount: 4 }).map((text) => `#### ${text}`),
    fc.lorem({ maxCount: 30 }).map((text) => `- ${text}\n- **${text}**`),
    fc.lorem({ maxCount: 80 }).map((text) => `\`\`\`\n${text.replaceAll(" ", "\n  ")}\n\`\`\``),
    fc.lorem({ maxCount: 9 }).map((text) => `> ${text} _${text}_`),
    fc
      .array(fc.array(fc.lorem({ maxCount: 7 }), { minLength: 3, maxLength: 3 }), {
        minLength: 1,
        maxLength: 9,
      })
      .map((rows) =>
        ["| a | b | c |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n"),
      ),
    fc.string({
      unit: fc.constantFrom("a", "b", "漢", " ", ".", "\n", "1", "é"),
      minLength: 600,
      maxLength: 1500,
    }),
  )

  it("stay within the limit and lose no words", () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 12 }), (blocks) => {
        const markdown = blocks.join("\n\n")
        const passages = toPassages(markdown)
        expect(passages.every(({ text }) => text.length > 0 && text.length <= MAX_PASSAGE_CHARS)).toBe(true)
        expect(passages.filter(({ shown = "" }) => shown.length > MAX_SHOWN_CHARS)).toEqual([])
        const kept = new Set(passages.flatMap(({ text, headings }) => [...headings, text].flatMap(wordsOf)))
        const all = passages
          .map(({ text }) => text)
          .join("")
          .replace(/[^\p{L}\p{N}]+/gu, "")
        const lost = wordsOf(markdown).filter((word) => !kept.has(word) && !all.includes(word))
        expect(lost).toEqual([])
      }),
    )
  })
})

it("splits Chinese, Japanese and Korean at a third of the length, since characters say more", () => {
  const longest = (sentence: string) =>
    Math.max(...toPassages(sentence.repeat(60)).map(({ text }) => text.length))
  for (const sentence of [
    "配额系统可以限制每个用户的磁盘空间。",
    "各ユーザーのディスク容量を制限する。",
    "사용자마다 디스크 용량을 제한한다. ",
  ]) {
    expect(longest(sentence)).toBeGreaterThan(140)
    expect(longest(sentence)).toBeLessThan(210)
  }
  expect(longest("Quotas limit what each user may fill. ")).toBeGreaterThan(450)
  // A text without any place to cut.
  expect(toPassages("漢".repeat(1000)).map(({ text }) => text.length)).toEqual([
    166, 166, 166, 166, 166, 166, 4,
  ])
})

it("embeds a passage with its title and headings before it", () => {
  expect(embeddingText("Title", { text: "Text", headings: ["A", "B"] })).toBe("Title\nA\nB\nText")
  expect(embeddingText("", { text: "Text", headings: [] })).toBe("Text")
})
