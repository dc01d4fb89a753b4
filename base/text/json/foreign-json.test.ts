import { describe, expect, test } from "vitest"

import { foreignText, INDEX_BOUNDS, parseForeign, readForeign } from "./foreign-json.ts"

const kindOf = (text: string): string => {
  try {
    parseForeign(text)
    return "taken"
  } catch (error) {
    return (error as { kind?: string }).kind ?? String(error)
  }
}

describe("foreign JSON", () => {
  test.each([
    ["lists", "[".repeat(100) + "]".repeat(100), "[".repeat(101) + "]".repeat(101)],
    ["objects", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`, `${'{"a":'.repeat(101)}1${"}".repeat(101)}`],
  ])("is parsed up to 100 levels of %s", (_, most, more) => {
    expect([kindOf(most), kindOf(more)]).toEqual(["taken", "depth"])
  })

  test("without an end is rejected after its first levels", () => {
    expect(kindOf("[".repeat(6_000_000))).toBe("depth")
  })

  test("is parsed with up to the maximum of lists, fields and values", () => {
    expect(kindOf(`[${"[],".repeat(99_998)}[]]`)).toBe("taken")
    expect(kindOf(`[${"[],".repeat(100_000)}[]]`)).toBe("parts")
    expect(kindOf(`[${'{"a":1},'.repeat(50_000)}1]`)).toBe("parts")
    expect(kindOf(`[${"1,".repeat(1_000_000)}1]`)).toBe("taken")
    expect(kindOf(`[${"1,".repeat(1_000_001)}1]`)).toBe("parts")
    expect(parseForeign(`[${"[],".repeat(100_000)}[]]`, INDEX_BOUNDS)).toHaveLength(100_001)
  })

  test("counts nothing inside strings", () => {
    const text = `${"[{:,".repeat(300_000)}\\" \\\\`
    expect(parseForeign(JSON.stringify({ a: text, '["': [text] }))).toEqual({ a: text, '["': [text] })
    expect(kindOf(`["${"[".repeat(500)}`)).toBe("syntax")
    expect(kindOf(`["\\\\",${"[".repeat(500)}`)).toBe("depth")
  })

  test.each(["", "nothing", "[1,]", '{"a"}', "]]]][[[["])(
    "that is not JSON is reported as such: %j",
    (text) => {
      expect(kindOf(text)).toBe("syntax")
    },
  )

  test("is read from a body up to its byte limit, with characters intact", async () => {
    async function* body() {
      for (const byte of Buffer.from('["ä€😀"]')) yield Uint8Array.of(byte)
    }
    expect(await readForeign(body(), 13)).toEqual(["ä€😀"])
    await expect(foreignText(body(), 12)).rejects.toThrow("has more than 12 bytes")
  })
})
