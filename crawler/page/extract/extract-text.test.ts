import { describe, expect, it } from "vitest"
import { extractText, toPlainText } from "./extract.ts"

describe("text documents", () => {
  it("keeps markdown as its author wrote it and reads its front matter", () => {
    const page = extractText(
      '---\ntitle: "Hive care"\nauthor: Ann Lee\ndate: 2024-03-05\n---\n# Other\n\nSee [the *shop*](../shop).\n',
      "https://example.org/docs/hive.md",
    )
    expect(page.title).toBe("Hive care")
    expect(page.author).toBe("Ann Lee")
    expect(page.publishedAt).toEqual(new Date("2024-03-05"))
    expect(page.markdown).toBe("# Other\n\nSee [the *shop*](../shop).")
    expect(page.links).toEqual([{ url: "https://example.org/shop", text: "the *shop*", nofollow: false }])
  })

  it("treats llms.txt as markdown, and titles it by its first heading", () => {
    const page = extractText(
      "# Hive\n\n## Docs\n\n- [Care](https://example.org/care)",
      "https://example.org/llms.txt",
    )
    expect(page.title).toBe("Hive")
    expect(page.links).toHaveLength(1)
    expect(page.markdown).toContain("## Docs")
  })

  it("trusts the content type", () => {
    expect(extractText("*a*", "https://example.org/x", "text/markdown; charset=utf-8").markdown).toBe("*a*")
  })

  it("keeps the characters of plain text", () => {
    const text = "Release notes\n\n1. not *a* list_\n# nor a heading"
    const page = extractText(text, "https://example.org/notes.txt")
    expect(page.title).toBe("Release notes")
    expect(toPlainText(page.markdown)).toBe(text)
  })

  it("keeps columns and ASCII drawings as code", () => {
    const page = extractText(
      "Ports\n\nname     port\nhttp     80\nhttps    443",
      "https://example.org/ports.txt",
    )
    expect(page.markdown).toBe("Ports\n\n```\nname     port\nhttp     80\nhttps    443\n```")
  })

  it("finds bare addresses without the punctuation after them", () => {
    const page = extractText(
      "See https://example.org/a, or (https://example.org/b).",
      "https://example.org/x.txt",
    )
    expect(page.links.map((link) => link.url)).toEqual(["https://example.org/a", "https://example.org/b"])
  })

  it("uses the file name as title when there is no other", () => {
    expect(extractText("", "https://example.org/empty.txt")).toMatchObject({
      title: "empty.txt",
      markdown: "",
      language: null,
    })
  })

  // Each of these would take minutes if any pass were quadratic.
  it.each([
    ["spaces", `x${" ".repeat(300_000)}y`],
    ["empty lines", `${"\n ".repeat(150_000)}x`],
    ["a heading of marks", `# ${" #".repeat(100_000)}x`],
    ["openings of links", "[a](".repeat(50_000)],
    ["backticks", "`".repeat(300_000)],
    ["beginnings of addresses", "http://".repeat(30_000)],
  ])("handles %s", (_name, text) => {
    for (const type of ["text/plain", "text/markdown"]) {
      expect(extractText(text, "https://example.org/x", type).links.length).toBeLessThan(20_001)
    }
  })

  it("takes the title without its heading's permalink or id", () => {
    expect(extractText("# Usage {#usage}\n\nText.", "https://example.org/a.md").title).toBe("Usage")
    expect(extractText("# **`hive open`** [¶](#hive-open)\n\nText.", "https://example.org/a.md").title).toBe(
      "hive open",
    )
  })
})
