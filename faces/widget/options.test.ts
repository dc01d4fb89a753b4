import { describe, expect, test } from "vitest"

import { isIn, readOptions, versionAt } from "./options.ts"

const SRC = "https://fossick.example/widget.js"
const read = (given: Record<string, string>) => readOptions(SRC, { key: "k", ...given })
const DOCUSAURUS = read({ versions: "Next=/docs/next/ 2.0=/docs/ 1.0=/docs/1.0 Old_ones=/old/" }).versions

describe("the widget's attributes", () => {
  test.each([
    [SRC, {}, "https://fossick.example/"],
    ["https://example.com/search/widget.js", {}, "https://example.com/search/"],
    ["https://example.com/search/faces/widget-BimMfmXY.js", {}, "https://example.com/search/"],
    [
      "https://docs.example.com/js/widget.js",
      { url: "https://fossick.example/" },
      "https://fossick.example/",
    ],
  ])("make the script at %s with %j call %s", (src, given, expected) => {
    expect(readOptions(src, { key: "k", ...given }).appliance.href).toBe(expected)
  })

  test.each([
    [{ key: "" }, "data-key"],
    [{ theme: "pink" }, "data-theme"],
    [{ links: "there" }, "data-links"],
    [{ versions: "2.0" }, "data-versions"],
    [{ versions: "2.0=docs" }, "data-versions"],
    [{ versions: "2.0=/docs/", path: "/docs/" }, "data-path and data-versions"],
  ] as [Record<string, string>, string][])("are rejected when they are %j", (given, named) => {
    expect(() => read(given)).toThrow(named)
  })

  test("exclude nested versions from a version, and offer all versions as another choice", () => {
    expect(DOCUSAURUS.map(({ label, paths }) => [label, paths])).toEqual([
      ["Next", ["/docs/next/"]],
      ["2.0", ["/docs/", "!/docs/next/", "!/docs/1.0/"]],
      ["1.0", ["/docs/1.0/"]],
      ["Old ones", ["/old/"]],
      ["All versions", []],
    ])
  })

  test.each([
    ["/docs/next/intro", "Next"],
    ["/docs/intro", "2.0"],
    ["/docs/1.0", "1.0"],
    ["/docs/1.0.1/intro", "2.0"],
    ["/blog/", "Next"],
  ])("select for a page at %s the version %s", (path, label) => {
    expect(DOCUSAURUS[versionAt(DOCUSAURUS, path)]!.label).toBe(label)
  })

  test.each([
    ["/docs/intro#start", true],
    ["/docs/next/intro", false],
    ["/docs-old/intro", false],
    ["/old/intro", false],
  ])("place an address with %s in 2.0: %s", (path, expected) => {
    expect(isIn(DOCUSAURUS[1]!, `https://docs.example.com${path}`)).toBe(expected)
  })
})
