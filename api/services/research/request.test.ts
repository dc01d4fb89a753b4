import { describe, expect, test } from "vitest"

import { bodyReader } from "../../server/wire/validate.ts"
import { jsonAsText } from "./json-text.ts"
import { researchSchema, searchRules, toRequest } from "./request.ts"

const read = bodyReader(researchSchema)
const request = async (body: Record<string, unknown>) =>
  await toRequest(read({ input: "pumps", ...body }), {
    named: async ({ sources = [] }) => (sources.length > 0 ? [sources].flat() : undefined),
  })
const base64 = (text: string) => Buffer.from(text).toString("base64")
const file = (name: string, text: string) => ({ name, data: base64(text), type: "base64" })

describe("a research request", () => {
  test("needs nothing but its input", async () => {
    expect(await request({})).toEqual({
      input: "pumps",
      model: "mini",
      citationFormat: "numbered",
      outputLength: "standard",
      outputSchema: null,
      includeDomains: [],
      excludeDomains: [],
      sources: null,
      types: [],
      files: [],
    })
  })

  test("is limited to sources and types", async () => {
    const asked = await request({ sources: "docs", types: ["pdf", "html"] })
    expect(asked).toMatchObject({ sources: ["docs"], types: ["pdf", "html"] })
    expect(searchRules(asked).filter).toEqual({ sources: ["docs"], types: ["pdf", "html"] })
    expect(searchRules(await request({})).filter).toEqual({})
  })

  test("treats blank list entries as omitted", async () => {
    expect(await request({ include_domains: [""], exclude_domains: ["", "a.example"] })).toMatchObject({
      includeDomains: [],
      excludeDomains: ["a.example"],
    })
  })

  test("with several parts uses the deeper model, unless told otherwise", async () => {
    expect((await request({ input: "Compare rotary and piston pumps" })).model).toBe("pro")
    expect((await request({ input: "word ".repeat(30) })).model).toBe("pro")
    expect((await request({ input: "Compare rotary and piston pumps", model: "mini" })).model).toBe("mini")
  })

  test.each<[string, Record<string, unknown>, string | RegExp]>([
    ["no input", { input: " " }, "Missing input. Must be a string of at most 20000 characters."],
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
  ])("with %s is rejected by field name", async (_, body, message) => {
    await expect(request(body)).rejects.toThrow(message)
  })

  test("can include files, and reads their JSON as text", async () => {
    const nested = JSON.stringify({ pump: { flow: 40, parts: ["seal", "hose"] } })
    expect((await request({ files: [file("a.md", "# A\n\nÄ"), file("b.json", nested)] })).files).toEqual([
      { name: "a.md", text: "# A\n\nÄ" },
      { name: "b.json", text: "pump flow: 40\n\npump parts 0: seal\n\npump parts 1: hose" },
    ])
    const [plain] = (await request({ files: [file("c.json", '"words"')] })).files
    expect(plain?.text).toBe("words")
  })

  const many = (one: string, times: number) => `[${`${one},`.repeat(times)}${one}]`
  test.each([
    ["under names that are long", `{"${"n".repeat(30_000)}":`.repeat(2) + `${many("1", 10_000)}}}`],
    ["under many names", `{"${"n".repeat(20)}":`.repeat(99) + many("1", 20_000) + "}".repeat(99)],
    ["of numbers that are short in JSON only", many("1e20", 16_000)],
    ["under names of one letter", '{"a":'.repeat(99) + many("1", 700) + "}".repeat(99)],
  ])("expands a JSON file %s to at most 9 characters for each, plus 10,000", async (_, json) => {
    const [one] = (await request({ files: [file("a.json", json)] })).files
    expect(one?.text.length).toBeLessThanOrEqual(9 * json.length + 10_000)
  })

  test("refuses a JSON file nested deeper than 100 levels, and says so", async () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000)
    await expect(request({ files: [file("a.json", deep)] })).rejects.toThrow(
      "Invalid files[0].data. The JSON is nested more than 100 levels deep.",
    )
  })

  test("lets others have their turn while a large JSON file is read", async () => {
    let turns = 0
    const beat = setInterval(() => (turns += 1))
    const text = await jsonAsText(JSON.parse(`[${'{"a":{"b":{"c":1}}},'.repeat(200_000)}0]`), 4_000_000)
    clearInterval(beat)
    expect(text).toContain("199999 a b c: 1")
    expect(turns).toBeGreaterThan(3)
  })
})
