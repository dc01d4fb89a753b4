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
  ])("is taken up to 100 levels of %s", (_, most, more) => {
    expect([kindOf(most), kindOf(more)]).toEqual(["taken", "depth"])
  })

  test("that never ends is given up after its first levels", () => {
    expect(kindOf("[".repeat(6_000_000))).toBe("depth")
  })

  test("is taken with as many lists, fields and values as it may have", () => {
    expect(kindOf(`[${"[],".repeat(99_998)}[]]`)).toBe("taken")
    expect(kindOf(`[${"[],".repeat(100_000)}[]]`)).toBe("parts")
    expect(kindOf(`[${'{"a":1},'.repeat(50_000)}1]`)).toBe("parts")
    expect(kindOf(`[${"1,".repeat(1_000_000)}1]`)).toBe("taken")
    expect(kindOf(`[${"1,".repeat(1_000_001)}1]`)).toBe("parts")
    expect(parseForeign(`[${"[],".repeat(100_000)}[]]`, INDEX_BOUNDS)).toHaveLength(100_001)
  })

  test("counts nothing that is in a string", () => {
    const text = `${"[{:,".repeat(300_000)}\\" \\\\`
    expect(parseForeign(JSON.stringify({ a: text, '["': [text] }))).toEqual({ a: text, '["': [text] })
    expect(kindOf(`["${"[".repeat(500)}`)).toBe("syntax")
    expect(kindOf(`["\\\\",${"[".repeat(500)}`)).toBe("depth")
  })

  test.each(["", "nothing", "[1,]", '{"a"}', "]]]][[[["])("that is none is said to be none: %j", (text) => {
    expect(kindOf(text)).toBe("syntax")
  })

  test("is read from a body up to its bytes, characters whole", async () => {
    async function* body() {
      for (const byte of Buffer.from('["ä€😀"]')) yield Uint8Array.of(byte)
    }
    expect(await readForeign(body(), 13)).toEqual(["ä€😀"])
    await expect(foreignText(body(), 12)).rejects.toThrow("has more than 12 bytes")
  })
})
