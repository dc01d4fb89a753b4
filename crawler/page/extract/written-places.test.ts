import { expect, test } from "vitest"
import { toPassages } from "#engine/text/passages.ts"
import { extractText } from "./extract-text.ts"
import { placesOf } from "./written-places.ts"

const AT_GITHUB = { line: "L", heading: "" }

/** Each passage's fragment, with the words at the passage's start. */
function found(text: string, url: string) {
  const page = extractText(text, url)
  return toPassages(page.markdown, placesOf(page, text, AT_GITHUB)).map(
    ({ anchor, headings, text: said }) => [anchor, [...headings, said].join(" ").slice(0, 12)],
  )
}

const words = (name: string) =>
  `${name} ${"keeps the door of the harbour shut until the tide turns. ".repeat(6)}`

test("a text passage leads to the line where its paragraph begins", () => {
  const lines = [
    "",
    words("First"),
    "",
    "",
    `  ${words("Second_one *starred*")}`,
    "and goes on.",
    "",
    words("Third"),
  ]
  expect(found(lines.join("\r\n"), "https://git.example/a.txt")).toEqual([
    ["L2", "First keeps "],
    ["L5", "Second_one *"],
    ["L8", "Third keeps "],
  ])
})

test("a line that occurs twice is found where it comes next", () => {
  const again = "  return null"
  const parts = [1, 2, 3].map((part) => `${again}\n${words(`Part ${part}`)}`)
  expect(found(parts.join("\n\n"), "https://git.example/a.txt").map(([anchor]) => anchor)).toEqual([
    "L1",
    "L4",
    "L7",
  ])
})

test("a heading missing from the text leads to the line below it, and code to its first line", () => {
  const text = 'import { open } from "fs"\n\n// Opens.\nexport function open() {\n  return 1\n}\n'
  const markdown =
    '```ts\nimport { open } from "fs"\n```\n\n## open\n\n```ts\n// Opens.\nexport function open() {\n  return 1\n}\n```'
  expect(placesOf({ markdown, type: "text" }, text, AT_GITHUB)).toEqual([
    [0, "L1"],
    [4, "L3"],
    [6, "L3"],
  ])
})

test("a Markdown passage leads to its heading's anchor, as the forge names it", () => {
  const markdown = [
    `# Über uns & *more*\n\n${words("One")}`,
    `## \`fossick crawl\`: it's done!\n\n${words("Two")}`,
    "```sh\n# no heading\n```",
    `## Twice\n\n${words("Three")}`,
    `## Twice\n\n${words("Four")}`,
  ].join("\n\n")
  expect([...new Set(found(markdown, "https://git.example/a.md").map(([anchor]) => anchor))]).toEqual([
    "%C3%BCber-uns--more",
    "fossick-crawl-its-done",
    "twice",
    "twice-1",
  ])
})
