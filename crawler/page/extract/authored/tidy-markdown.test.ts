import { describe, expect, it } from "vitest"
import { extractText } from "../extract.ts"
import { splitFrontMatter } from "./front-matter.ts"
import { tidyMarkdown } from "./tidy-markdown.ts"

const ADDRESS = "https://a.example/docs/pumps.md"

describe("markdown without parts that readers never see", () => {
  it.each([
    ["comments", "One.\n<!-- a\n\nb --> Two. <!-- c -->\n", "One.\n\n Two. \n"],
    ["a comment that nothing closes is text", "One. <!-- two\n", "One. <!-- two\n"],
    [
      "tags in a line",
      'A <b>bold</b> <kbd>C</kbd>, <a href="/x">there</a>,<br>and 1 < 2.',
      "A bold C, [there](/x), and 1 < 2.",
    ],
    ["names of characters", "A&nbsp;B &ndash; C &copy;", "A B – C ©"],
    ["a box around markdown", '<div align="center">\n\n# Pumps\n\n</div>\n', "\n\n# Pumps\n\n"],
    ["a heading in HTML", '<h1 align="center">Pumps</h1>\n\nText.\n', "\n# Pumps\n\nText.\n"],
    [
      "a table in HTML",
      "<table>\n<tr><th>A</th><th>B</th></tr>\n\n<tr><td>1</td><td>2</td></tr>\n</table>\n",
      "\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n",
    ],
    [
      "a box that opens",
      "<details>\n<summary>More</summary>\n\nText.\n\n</details>\n",
      "\n**More**\n\nText.\n\n",
    ],
    [
      "pictures and links in HTML",
      '<p><a href="shop"><img src="/a.png" alt="Shop" width="100"></a></p>\n',
      "\n[![Shop](https://a.example/a.png)](https://a.example/docs/shop)\n\n",
    ],
    [
      "links by reference",
      "See [the guide][g], [Pumps][] and [shop].\n\n[g]: https://a.example/g\n[pumps]: <../p> 'P'\n[Shop]: /s\n",
      "See [the guide](https://a.example/g), [Pumps](../p) and [shop](/s).\n\n",
    ],
    ["identifiers of headings", "## Sizes {#sizes .wide}\n{: .x}\n[[_TOC_]]\n", "## Sizes\n"],
    ["notes of Docusaurus", ":::tip[Mind]\nText.\n:::\n", "**Mind**\n\nText.\n"],
    [
      "notes of MkDocs and its tabs",
      '!!! warning "Mind"\n    Text.\n\n    ```sh\n    a\n    ```\n\n=== "Linux"\n\n    More.\nEnd.\n',
      "**Mind**\n\nText.\n\n```sh\na\n```\n\n**Linux**\n\nMore.\nEnd.\n",
    ],
    ["notes of GitHub", "> [!NOTE]\n> Text.\n", "> **Note**\n>\n> Text.\n"],
    ["short codes", '{{< figure src="a.png" >}}\nText {{% ref "x" %}}here{% raw %}.\n', "Text here.\n"],
  ])("%s", (_what, written, tidy) => {
    expect(tidyMarkdown(written, ADDRESS)).toBe(tidy)
  })

  it("keeps code unchanged", () => {
    const code =
      "```html\n<!-- a --> <b>x</b> &amp; [a][b]\n```\n\n    <b>\n\nThe `<b>` tag and `&amp;`, ``a ` <i>``.\n\n~~~\n:::note\n~~~\n\n[b]: /x"
    expect(tidyMarkdown(code, ADDRESS)).toBe(code.replace("\n[b]: /x", ""))
  })

  it("keeps text that only looks like markup", () => {
    const text = "Use List<String> and <placeholder>, \\<b>, a<b, [x] and {braces}.\n\n- [ ] to do\n- a: b\n"
    expect(tidyMarkdown(text, ADDRESS)).toBe(text)
  })

  it("omits MDX statements and components", () => {
    const mdx = `import {Note} from './note.jsx'
export const info = {
  author: 'x'
}

# Pumps {/* more */}

<Note type="tip">
  **Mind** it.
</Note>

Text with <Inline /> parts.
`
    const page = extractText(mdx, "https://a.example/pumps.mdx")
    expect(page.title).toBe("Pumps")
    expect(page.markdown).toContain("**Mind** it.")
    expect(page.markdown).not.toMatch(/import|export|<Note|\{\/\*/)
    expect(tidyMarkdown("import tariffs rose.\n", ADDRESS)).toBe("import tariffs rose.\n")
  })
})

describe("front matter", () => {
  it.each([
    [
      "lists and folded text in YAML",
      "---\ntitle: 'Pumps'\nauthors:\n  - name: Ann Lee\n    url: x\n  - Bob Ray\ntags: [a, \"b\"]\nsummary: >-\n  One\n  two.\nempty:\n---\nText.\n",
      { title: "Pumps", authors: "Ann Lee, Bob Ray", tags: "a, b", summary: "One two." },
    ],
    [
      "TOML",
      "+++\ntitle = \"Pumps\"\ndate = 2024-03-05\ntags = ['a', 'b']\n[params]\ntitle = 'No'\n+++\nText.\n",
      { title: "Pumps", date: "2024-03-05", tags: "a, b" },
    ],
    ["nothing", "---\n---\nText.\n", {}],
  ])("%s", (_what, text, fields) => {
    const read = splitFrontMatter(text)
    expect(Object.fromEntries(read.fields)).toEqual(fields)
    expect(read.body).toBe("Text.\n")
  })

  it("a rule at the top is not front matter", () => {
    expect(splitFrontMatter("---\n\nText.\n").body).toBe("---\n\nText.\n")
  })

  it("authors and a summary are applied to the page", () => {
    const page = extractText(
      "---\nauthors: [Ann Lee, Bob Ray]\nsummary: All of it.\n---\nPumps\n=====\n\nText.\n",
      "https://a.example/a.md",
    )
    expect(page).toMatchObject({ title: "Pumps", author: "Ann Lee, Bob Ray", description: "All of it." })
  })
})

// Each of these would take minutes if any pass were quadratic.
it.each([
  ["openings of comments", "<!--".repeat(50_000)],
  ["tags", "<div>\n".repeat(40_000)],
  ["openings of tags", "<a ".repeat(60_000)],
  ["components", "<Box \n".repeat(40_000)],
  ["statements", "import {\n".repeat(30_000)],
  ["references", `${"[a] ".repeat(60_000)}\n\n[a]: /x`],
  ["brackets", "[".repeat(100_000)],
  ["backticks of growing runs", Array.from({ length: 400 }, (_, at) => "`".repeat(at)).join(" ")],
  ["notes", "!!! note\n    ".repeat(30_000)],
])("handles %s", (_name, text) => {
  expect(tidyMarkdown(text, ADDRESS, true).length).toBeLessThan(text.length * 4)
})
