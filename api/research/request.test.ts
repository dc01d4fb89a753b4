import { describe, expect, test } from "vitest"

import { bodyReader } from "../tavily/validate.ts"
import { type ResearchBody, researchSchema, toRequest } from "./request.ts"

const read = bodyReader<ResearchBody>(researchSchema)
const request = (body: Record<string, unknown>) => toRequest(read({ input: "pumps", ...body }))
const base64 = (text: string) => Buffer.from(text).toString("base64")
const file = (name: string, text: string) => ({ name, data: base64(text), type: "base64" })

describe("a request for research", () => {
  test("needs nothing but its input", () => {
    expect(request({})).toEqual({
      input: "pumps",
      model: "mini",
      citationFormat: "numbered",
      outputLength: "standard",
      outputSchema: null,
      includeDomains: [],
      excludeDomains: [],
      files: [],
    })
  })

  test("takes blank entries of a list for left out", () => {
    expect(request({ include_domains: [""], exclude_domains: ["", "a.example"] })).toMatchObject({
      includeDomains: [],
      excludeDomains: ["a.example"],
    })
  })

  test("of several parts is worth the deeper model, unless told otherwise", () => {
    expect(request({ input: "Compare rotary and piston pumps" }).model).toBe("pro")
    expect(request({ input: "word ".repeat(30) }).model).toBe("pro")
    expect(request({ input: "Compare rotary and piston pumps", model: "mini" }).model).toBe("mini")
  })

  test.each<[string, Record<string, unknown>, string | RegExp]>([
    ["no input", { input: " " }, "Missing input. Must be a string."],
    ["an unknown model", { model: "max" }, "Invalid model. Must be 'mini', 'pro' or 'auto'."],
    ["an unknown citation format", { citation_format: "ieee" }, /^Invalid citation_format\. /],
    ["an unknown length", { output_length: "tiny" }, /^Invalid output_length\. /],
    ["21 domains", { include_domains: Array(21).fill("a.example") }, /^Invalid include_domains\. .*20/],
    ["a domain that is none", { exclude_domains: ["*.com"] }, /^Invalid exclude_domains: '\*\.com'/],
    ["an endless input", { input: "a".repeat(20_001) }, /^Invalid input\. .*20000/],
    ["six files", { files: Array(6).fill(file("a.txt", "a")) }, /^Invalid files\. .*5/],
    ["a file of another kind", { files: [file("a.pdf", "a")] }, /^Invalid files\[0\]\.name\. /],
    ["a file with a path", { files: [file("../a.txt", "a")] }, /^Invalid files\[0\]\.name\. /],
    [
      "a file that is no base64",
      { files: [{ name: "a.txt", data: "%", type: "base64" }] },
      /^Invalid files\[0\]\.data\. /,
    ],
    ["a file without type", { files: [{ name: "a.txt", data: "" }] }, /^Invalid files\[0\]\.type\. /],
    ["a file that is no text", { files: [{ name: "a.txt", data: "/w==", type: "base64" }] }, /UTF-8/],
    ["JSON that is none", { files: [file("a.json", "{")] }, /^Invalid files\[0\]\.data\. Must be JSON/],
    ["too many words", { files: [file("a.txt", "w ".repeat(80_001))] }, /^Invalid files\. .*80000/],
    [
      "a schema that is none",
      { output_schema: "x" },
      "Invalid output_schema. Must be an object with properties.",
    ],
    ["a schema without properties", { output_schema: {} }, /^Invalid output_schema\.properties\. /],
    [
      "a type that is none",
      { output_schema: { properties: { a: { type: "object", properties: { b: { type: "date" } } } } } },
      /^Invalid output_schema\.properties\.a\.properties\.b\.type\. /,
    ],
    [
      "a list of nothing",
      { output_schema: { properties: { a: { type: "array" } } } },
      /^Invalid .*\.a\.items\.type\. /,
    ],
    [
      "a required value that is not there",
      { output_schema: { properties: { a: { type: "string" } }, required: ["b"] } },
      /^Invalid output_schema\.required\. /,
    ],
  ])("with %s is refused by the field's name", (_, body, message) => {
    expect(() => request(body)).toThrow(message)
  })

  test("may bring files along, whose JSON is read as text", () => {
    const nested = JSON.stringify({ pump: { flow: 40, parts: ["seal", "hose"] } })
    expect(request({ files: [file("a.md", "# A\n\nÄ"), file("b.json", nested)] }).files).toEqual([
      { name: "a.md", text: "# A\n\nÄ" },
      { name: "b.json", text: "pump flow: 40\n\npump parts 0: seal\n\npump parts 1: hose" },
    ])
    const deep = "[".repeat(50_000) + "]".repeat(50_000)
    expect(() => request({ files: [file("deep.json", deep)] })).not.toThrow(RangeError)
  })
})
