import { describe, expect, test } from "vitest"
import { fileOf, headingsIn, read } from "../testing/read-page.ts"

test("a page of redis-py's manual keeps headings, code and links, without markup", async () => {
  const page = await read("connections.rst", fileOf("connections.rst"))
  expect(page.title).toBe("Connecting to Redis")
  expect(headingsIn(page)).toContain("## Sentinel Client")
  expect(headingsIn(page)).toContain("### SentinelConnectionPool")
  expect(page.markdown).toContain("`redis.Redis`")
  expect(page.markdown).toContain(">>> sentinel.discover_master('mymaster')\n('127.0.0.1', 6379)")
  expect(page.links).toContainEqual(
    expect.objectContaining({ url: "https://redis.io/topics/sentinel", text: "Sentinel" }),
  )
  expect(page.markdown).not.toMatch(/^\.\. |::|:members:|####|`_/m)
})

/** The markdown of a text below a title. */
const body = async (text: string) => (await read("a.rst", `Title\n=====\n\n${text}\n`)).markdown

describe("blocks", () => {
  test.each([
    [
      "a literal block loses the colons that announce it",
      "Run this::\n\n  $ a\n    b\n\nThen.",
      "Run this:\n\n```\n$ a\n  b\n```\n\nThen.",
    ],
    ["code has its language", ".. code-block:: python\n   :linenos:\n\n   a = 1\n", "```python\na = 1\n```"],
    [
      "a note may begin behind its name",
      ".. note:: Take care\n   of it.",
      "> **Note**\n>\n> Take care of it.",
    ],
    ["an admonition has a title", ".. admonition:: Why so\n\n   Because.", "> **Why so**\n>\n> Because."],
    [
      "a change names its version",
      ".. versionadded:: 2.0\n   The option.",
      "New in version 2.0: The option.",
    ],
    [
      "items hold lists and code",
      "- one\n\n  - two\n\n  ::\n\n     x = 1\n- three",
      "- one\n  - two\n\n  ```\n  x = 1\n  ```\n\n- three",
    ],
    ["numbers", "1. one\n#. two\n", "1. one\n2. two"],
    ["terms", "pump\n  Moves *water*.\n", "**pump**\n\n: Moves *water*."],
    [
      "a grid",
      "+---+----+\n| A | B  |\n+===+====+\n| 1 | 2  |\n|   | 3  |\n+---+----+",
      "| A | B |\n| --- | --- |\n| 1 | 2 3 |",
    ],
    [
      "a simple table",
      "===  ===\nA    B\n===  ===\n1    2\n     3\n===  ===",
      "| A | B |\n| --- | --- |\n| 1 | 2 3 |",
    ],
    [
      "comma-separated values",
      '.. csv-table::\n   :header: A, B\n\n   1, "2, 3"',
      "| A | B |\n| --- | --- |\n| 1 | 2, 3 |",
    ],
    [
      "a table of lists",
      ".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2\n       3",
      "| A | B |\n| --- | --- |\n| 1 | 2 3 |",
    ],
    ["lines keep their breaks", "| one\n| two", "one  \ntwo"],
    [
      "a comment, a target and instructions for a program are left out",
      ".. note for me\n   and more\n\n.. _here:\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. image:: a.png\n\nText.",
      "Text.",
    ],
    [
      "a name has a heading with its signature",
      ".. py:function:: run(a)\n\n   Runs.\n\n   :param a: how long",
      "## run(a)\n\nRuns.\n\n**param a**: how long",
    ],
    ["what Sphinx takes from code is named", ".. automodule:: pump.core\n   :members:", "`pump.core`"],
    [
      "a tab is headed by its name",
      ".. tabs::\n\n   .. group-tab:: Linux\n\n      Text.",
      "**Linux**\n\nText.",
    ],
    ["a formula", ".. math::\n\n   a^2", "$$a^2$$"],
  ])("%s", async (_what, text, markdown) => {
    expect(await body(text)).toBe(markdown)
  })
})

describe("inline markup", () => {
  test.each([
    ["``code`` and **strong** and *so*", "`code` and **strong** and *so*"],
    [":class:`~pump.Pump` of :doc:`the guide </guide>`, :ref:`sizes`", "`Pump` of the guide, sizes"],
    [
      "`Shop <https://a.example/>`_ and `Home`_\n\n.. _Home: https://b.example/",
      "[Shop](https://a.example/) and [Home](https://b.example/)",
    ],
    [
      "Home_ and `this`__ here_or_there\n\n.. _home: https://b.example/\n__ https://c.example/",
      "[Home](https://b.example/) and [this](https://c.example/) here_or_there",
    ],
    [
      "|name| costs [1]_\n\n.. |name| replace:: The *pump*\n.. [1] More than that.",
      "The *pump* costs \\[1\\]\n\n\\[1\\] More than that.",
    ],
    ["2\\*3 and re\\ ``struct``\\ ed", "2\\*3 and re`struct`ed"],
    ["It is 2 * 3 * 4, and *args", "It is 2 \\* 3 \\* 4, and \\*args"],
  ])("%s", async (text, markdown) => {
    expect(await body(text)).toBe(markdown)
  })
})

test("heading levels follow the order in which underlines appear", async () => {
  const page = await read("a.rst", "====\nBook\n====\n\nOne\n---\n\nAa\n~~\n\nText.\n\nTwo\n---\n\nText.\n")
  expect(page.title).toBe("Book")
  expect(headingsIn(page)).toEqual(["## One", "### Aa", "## Two"])
})

test("fields above the text become metadata", async () => {
  const page = await read(
    "a.rst",
    ":orphan:\n\nTitle\n=====\n\n:Author: Ann Lee\n:Date: 2024-03-05\n\nText.\n",
  )
  expect(page).toMatchObject({ title: "Title", author: "Ann Lee", publishedAt: new Date("2024-03-05") })
})

test("an include is not read", async () => {
  expect(
    await body(
      `Text.\n\n.. include:: ${import.meta.filename}\n\n.. literalinclude:: /etc/hosts\n\n.. raw:: html\n   :file: /etc/hosts`,
    ),
  ).toBe("Text.")
})

test("deep nesting and unclosed markup are processed in time", async () => {
  const texts = [
    "- x\n".repeat(50_000),
    ".. note::\n   ".repeat(30_000),
    "`a ".repeat(60_000),
    "**a".repeat(60_000),
    "+-".repeat(50_000),
    "::\n\n  ".repeat(30_000),
  ]
  const deep = Array.from({ length: 300 }, (_, at) => `${" ".repeat(at * 3)}.. note::\n`).join("\n")
  for (const text of [...texts, `${deep}${" ".repeat(900)}words`])
    expect((await body(text)).length).toBeLessThan(text.length * 6 + 200_000)
})
