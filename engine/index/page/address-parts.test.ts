import { describe, expect, test } from "vitest"
import { foldersOf, isAmong, isUnder, versionOf } from "./address-parts.ts"

describe("an address", () => {
  test.each([
    ["https://a.example/docs/guide/x.html", ["docs", "guide"]],
    ["https://a.example/docs/guide/", ["docs", "guide"]],
    ["https://a.example/docs", []],
    ["https://a.example/b%C3%BCcher//x", ["bücher"]],
    ["https://a.example/100%/x", ["100%"]],
  ])("%s is in its folders", (url, folders) => {
    expect(foldersOf(url)).toEqual(folders)
  })

  test.each([
    ["https://a.example/3.12/library/os.html", "3.12"],
    ["https://a.example/en/v2/guide", "v2"],
    ["https://a.example/docs/latest-v20.x/api/fs.html", "latest-v20.x"],
    ["https://a.example/docs/4.2.0-rc.1/", "4.2.0-rc.1"],
    ["https://a.example/en/Stable/", "stable"],
    ["https://a.example/blog/2024/05/", null],
    ["https://a.example/questions/17/how", null],
    ["https://a.example/vitest/", null],
    ["https://a.example/a?version=3.12", null],
  ])("%s gives its version", (url, version) => {
    expect(versionOf(url)).toBe(version)
  })

  test("matches folders by whole names, however they are encoded", () => {
    expect(isUnder("https://a.example/docs/guide/x", "/docs/guide")).toBe(true)
    expect(isUnder("https://a.example/docs/guide", "docs/guide/")).toBe(true)
    expect(isUnder("https://a.example/b%C3%BCcher/x", "/bücher")).toBe(true)
    expect(isUnder("https://a.example/docs-old/x", "/docs")).toBe(false)
    expect(isUnder("https://a.example/en/docs/x", "/docs")).toBe(false)
  })

  test.each([
    ["/docs/x", ["/docs", "!/docs/1.0"], true],
    ["/docs/1.0/x", ["/docs", "!/docs/1.0"], false],
    ["/docs/1.0.1/x", ["/docs", "!/docs/1.0"], true],
    ["/blog/x", ["/docs", "!/docs/1.0"], false],
    ["/blog/x", ["!/docs/1.0"], true],
    ["/docs/1.0", ["!/docs/1.0"], false],
    ["/x", [], true],
  ])("%s within the folders %j: %s", (path, folders, expected) => {
    expect(isAmong(`https://a.example${path}`, folders)).toBe(expected)
  })
})
