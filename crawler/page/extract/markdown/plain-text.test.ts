import { assert, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { escapeText, protectLineStarts } from "./markdown-escapes.ts"
import { toPlainText } from "./plain-text.ts"

describe("plain text of markdown", () => {
  it("drops markup and addresses and keeps the words", () => {
    expect(toPlainText("## A *new* [guide](https://example.org/g)\n\n**Bold** and `code_x` ~~old~~")).toBe(
      "A new guide\n\nBold and code_x old",
    )
  })

  it("leaves images out, linked ones too", () => {
    expect(toPlainText("before [![logo](https://example.org/a.png)](https://example.org/) after")).toBe(
      "before  after",
    )
  })

  it("keeps code as it stands", () => {
    expect(toPlainText("```ts\nconst a = [1](2) // *x*\n# b\n```")).toBe("const a = [1](2) // *x*\n# b")
  })

  it("keeps code inside list items", () => {
    expect(toPlainText("1. Run\n\n   ```\n   npm *\n   ```\n2. Done")).toBe("1. Run\n\n   npm *\n2. Done")
  })

  it("keeps formulas as they stand, and does not take money for one", () => {
    expect(toPlainText("So $a_{*}^* \\, [b](c)$, **$5** and *$7* for \\$9 or $x$.")).toBe(
      "So $a_{*}^* \\, [b](c)$, $5 and $7 for $9 or $x$.",
    )
    expect(toPlainText("$$\\{x_1\\}$$")).toBe("$$\\{x_1\\}$$")
  })

  it("uses the same markers for every list", () => {
    expect(toPlainText("- a\n\n* b\n\n  * `c`\n\n1. d\n\n1) ## e\n\n   ```\n   * f\n   ```")).toBe(
      "- a\n\n- b\n\n  - c\n\n1. d\n\n1) e\n\n   * f",
    )
  })

  it("separates the cells of a row with tabs and drops the delimiter row", () => {
    expect(toPlainText("| A | B |\n| --- | --- |\n| a\\|b | c |")).toBe("A\tB\na|b\tc")
  })

  it("reads quotes and rules", () => {
    expect(toPlainText("> quoted\n> \n> twice\n\n---\n\nend")).toBe("quoted\n\ntwice\n\nend")
  })

  it("undoes the writer's escapes", () => {
    assert(
      property(string({ unit: "grapheme-ascii", maxLength: 40 }), (text) => {
        const shown = text.replace(/\s+/g, " ").trim()
        expect(toPlainText(protectLineStarts(escapeText(shown)))).toBe(shown)
      }),
      // Lines that start with a colon were once read as descriptions, and dollar signs as formulas.
      { numRuns: 500, examples: [[": !"], [":"], ["$<?$"], ["$a* $ b_$"]] },
    )
  })

  it("reads emphasis around code, with asterisks and underscores", () => {
    expect(toPlainText("**`npm ci`**, __`a_b`__ and _**[`f()`](https://e.org/f)**_")).toBe(
      "npm ci, a_b and f()",
    )
  })

  it("keeps underscores that are part of a name", () => {
    expect(toPlainText("a_b_c, _private, \\_\\_init\\_\\_ and _ alone")).toBe(
      "a_b_c, _private, __init__ and _ alone",
    )
  })

  it("handles a parenthesis in a link's title or brackets", () => {
    expect(
      toPlainText(
        'the [plugin](/wiki/Plug-in "Plug-in (computing)") of [a page](</wiki/A_(b)>) (and [more](/m))',
      ),
    ).toBe("the plugin of a page (and more)")
  })

  it("handles a bar in a cell's code", () => {
    expect(toPlainText("| **`a\\|b`** | c |")).toBe("a|b\tc")
  })
})
