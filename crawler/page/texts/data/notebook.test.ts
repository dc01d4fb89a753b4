import { expect, test } from "vitest"
import { fileOf, headingsIn, read } from "../testing/read-page.ts"

test("a redis-py notebook becomes its text, its code and the code's output", async () => {
  const page = await read("redis-hashes.ipynb", fileOf("redis-hashes.ipynb"))
  expect(page.title).toBe("Redis Hash Examples")
  expect(headingsIn(page)).toContain("## Set and get a single field")
  expect(page.markdown).toContain("```python\nr.hset('user:1', 'name', 'Alice')")
  expect(page.markdown).toContain("```\nAlice\n```")
  expect(page.markdown).not.toMatch(/cell_type|"outputs"|\\n/)
})

const notebook = (cells: readonly object[], metadata: object = {}) =>
  read("a.ipynb", JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }))
const output = (data: object) => ({
  cell_type: "code",
  source: "run()",
  outputs: [{ output_type: "execute_result", data }],
})

test("a data table becomes a table, and images and object names are left out", async () => {
  const html =
    "<div><style>td { color: red }</style><table><thead><tr><th></th><th>size</th></tr></thead><tbody><tr><th>0</th><td>2</td></tr></tbody></table></div>"
  const page = await notebook([
    output({ "text/html": [html], "text/plain": ["   size\n0 2"] }),
    output({ "image/png": "iVBORw0KGgo", "text/plain": "<Figure size 640x480 with 1 Axes>" }),
  ])
  expect(page.markdown).toContain("|  | size |\n| --- | --- |\n| 0 | 2 |")
  expect(page.markdown).not.toMatch(/iVBOR|Figure|color/)
})

test("an error is shown by its name and message, without terminal colours", async () => {
  const page = await notebook([
    {
      cell_type: "code",
      source: "1/0",
      outputs: [
        {
          output_type: "error",
          ename: "ZeroDivisionError",
          evalue: "division by zero",
          traceback: ["\u001B[31m---\u001B[0m"],
        },
      ],
    },
    {
      cell_type: "code",
      source: "go",
      outputs: [{ output_type: "stream", text: "\u001B[32mgreen\u001B[0m\n" }],
    },
  ])
  expect(page.markdown).toContain("```\nZeroDivisionError: division by zero\n```")
  expect(page.markdown).toContain("```\ngreen\n```")
})

test("the notebook provides its language, title and authors", async () => {
  const page = await notebook(
    [
      {
        cell_type: "markdown",
        source: ["# Sizes\n", "See [the shop](https://a.example/shop) <b>now</b>. ![x](attachment:a.png)"],
      },
      { cell_type: "code", source: "x <- 1", outputs: [] },
      { cell_type: "raw", source: "\\newpage" },
    ],
    {
      language_info: { name: "R" },
      title: "Pump sizes",
      authors: [{ name: "Ann Lee" }, { name: "Bob Ray" }],
    },
  )
  expect(page).toMatchObject({
    title: "Pump sizes",
    author: "Ann Lee, Bob Ray",
    links: [{ url: "https://a.example/shop" }],
  })
  expect(page.markdown).toBe("# Sizes\nSee [the shop](https://a.example/shop) now.\n\n```R\nx <- 1\n```")
})

test("notebooks from before 2015 have worksheets, headings and lines without breaks", async () => {
  const cells = [
    { cell_type: "heading", level: 2, source: ["Old sizes"] },
    {
      cell_type: "code",
      language: "python",
      input: ["a = 1", "a"],
      outputs: [{ output_type: "pyout", text: ["1"] }],
    },
  ]
  const page = await read(
    "old.ipynb",
    JSON.stringify({ nbformat: 3, metadata: { name: "" }, worksheets: [{ cells }] }),
  )
  expect(page.title).toBe("Old sizes")
  expect(page.markdown).toContain("```python\na = 1\na\n```\n\n```\n1\n```")
})

test("a long output is truncated", async () => {
  const page = await notebook([
    { cell_type: "code", source: "go", outputs: [{ output_type: "stream", text: "line\n".repeat(100_000) }] },
  ])
  expect(page.markdown.length).toBeLessThan(5000)
  expect(page.markdown).toContain("…")
})
