import { expect, test } from "vitest"
import { readRefresh } from "./refresh.ts"

const PAGE = "https://docs.example/a/start"
const at = (content: string, base = PAGE) => {
  const refresh = readRefresh(content, base, PAGE)
  return refresh === null ? null : [refresh.seconds, refresh.url]
}

test.each([
  ["0; url=en/latest/index.html", [0, "https://docs.example/a/en/latest/index.html"]],
  ["0;url=/x", [0, "https://docs.example/x"]],
  ["0;URL='/x'", [0, "https://docs.example/x"]],
  ['5; Url = "/x"', [5, "https://docs.example/x"]],
  ["0,/x", [0, "https://docs.example/x"]],
  ["0 /x", [0, "https://docs.example/x"]],
  ["0;/x", [0, "https://docs.example/x"]],
  ["0; /x y", [0, "https://docs.example/x%20y"]],
  ["  2.75 ; url=/x", [2, "https://docs.example/x"]],
  ["30", [30, PAGE]],
  ["30;", [30, PAGE]],
  ["0; url=https://other.example/#part", [0, "https://other.example/"]],
  ['3;URL="https://docs.example/x?a=1&b=2" target', [3, "https://docs.example/x?a=1&b=2"]],
  ["\t0\n;\n uRl\t=\t'../b/'", [0, "https://docs.example/b/"]],
  ["0.9; /v2/", [0, "https://docs.example/v2/"]],
  [".5, next.html", [0, "https://docs.example/a/next.html"]],
  ["1 url", [1, "https://docs.example/a/url"]],
  ["0; url=//other.example/p", [0, "https://other.example/p"]],
  ["5; u=3", [5, "https://docs.example/a/u=3"]],
  ["0; url=?page=2", [0, "https://docs.example/a/start?page=2"]],
])("%j redirects as in browsers", (content, expected) => {
  expect(at(content)).toEqual(expected)
})

test.each([
  "",
  "url=/x",
  "; url=/x",
  "soon; url=/x",
  "-1; url=/x",
  "0x; url=/x",
  "0; url=javascript:go()",
  "0; url=data:text/html,hi",
])("%j redirects nowhere", (content) => {
  expect(at(content)).toBeNull()
})

test("an address is relative to the base, and a missing one means the page itself", () => {
  expect(at("0; url=x", "https://docs.example/base/")).toEqual([0, "https://docs.example/base/x"])
  expect(at("9", "https://docs.example/base/")).toEqual([9, PAGE])
})

test("long runs of white space take linear time", () => {
  for (const content of ["0" + " ".repeat(1e6) + "x", ".".repeat(1e6), "0;" + "url=".repeat(1e6)])
    expect(() => at(content)).not.toThrow()
})
