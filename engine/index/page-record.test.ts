import { hash } from "node:crypto"
import { expect, test } from "vitest"
import { suggestible } from "../search/suggestions/suggestible.ts"
import { aPage } from "../testing/pages.ts"
import { toPageRow } from "./page-record.ts"

const MARKDOWN = `Words *before* any heading, with \`code\` and [a link](https://x.example/?a=1 "there").

# The node:sqlite module

${"It keeps pages, and useEffect() runs C++ or C# in version 3.11 of foo_bar. ".repeat(40)}

## Größe und Straße

| Name | Meaning |
|---|---|
| \`--flag\` | turns **everything** off &amp; on |
| café | e\u0301tude, 漢字かな交じり文 |

## 한국어

- one item\\*
- another item: 12:30:45

\`\`\`ts
const a = b->c

  indented()
\`\`\`

${"長い文章です。".repeat(60)}

### ไทย 😀
`

const page = aPage("guide/node_sqlite.html", {
  title: "node:sqlite - A guide",
  markdown: MARKDOWN,
  anchors: [[2, "module"]],
})

test("the stored row of a page stays the same, byte for byte", async () => {
  const row = await toPageRow(page, () => Promise.resolve())
  const digest = (value: string | Uint8Array) => hash("sha256", value, "hex").slice(0, 16)
  expect({
    id: row.id,
    revision: row.revision,
    passages: digest(row.passages),
    count: row.passage_count,
    sections: digest(JSON.stringify(row.sections)),
    facts: digest(row.facts),
    terms: digest(row.passage_terms),
  }).toEqual({
    id: "bkD-ZoYSKAR7pik5v5d4-w",
    revision: 4251534278043352,
    passages: "77d4aaf3dee048d1",
    count: 14,
    sections: "bf9a41bf65a1291a",
    facts: "8de13c605e47f164",
    terms: "91f34840d2ec9650",
  })
})

test("suggestions from stored headings equal those from the markdown", async () => {
  const row = await toPageRow(page, () => Promise.resolve())
  const { headings, ...stored } = row
  expect(headings.map(({ text }) => text)).toEqual([
    "The node:sqlite module",
    "Größe und Straße",
    "한국어",
    "ไทย 😀",
  ])
  expect(suggestible(row)).toEqual(suggestible(stored))
})
