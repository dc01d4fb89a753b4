import { AutoTokenizer, type PreTrainedTokenizer, env } from "@xenova/transformers"
import { array, assert, constantFrom, oneof, property, string } from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { SHIPPED_MODELS } from "../../../shipped-models.ts"
import { tokenIdsOf } from "./token-ids.ts"

const MOST = 64
let library: PreTrainedTokenizer
let ids: (text: string) => readonly number[]

beforeAll(async () => {
  env.allowRemoteModels = false
  env.localModelPath = ""
  library = await AutoTokenizer.from_pretrained(SHIPPED_MODELS.english)
  ids = tokenIdsOf(library, MOST)
})

const asTheLibrarySays = (text: string) =>
  library(text, { truncation: true, max_length: MOST, return_tensor: false }).input_ids

describe("token ids made word by word match the library's for the whole text", () => {
  test.each([
    ["nothing", ""],
    ["blanks alone", " \t\r\n "],
    ["a blank that is no space", "a\u00a0b\u2028c\u000bd\u000ce"],
    ["a sigma at the end of a word and within", "ΟΔΟΣ ΣΟΦΟΣ aΣ Σ"],
    ["marks of the model in the text", "x[SEP]y [CLS] [MASK]z [PAD]"],
    ["characters of Chinese among letters", "日本語のテキスト abc漢字def"],
    ["accents before and after a letter", "e\u0301 \u0301e naïve ﬁ İstanbul"],
    ["characters beyond U+FFFF, joined ones, half a one", "😀👩‍👩‍👧 z\u200dw \ud800 lone"],
    ["a word too long for the model", `${"a".repeat(120)} b`],
    ["code", "don't re-index foo_bar::baz(1,2) – “quotes”… <a href='x'>"],
    ["more tokens than the model reads", "one two three four ".repeat(40)],
    ["a last word of more tokens than are left", `${"one ".repeat(60)}electroencephalographically`],
  ])("%s", (_, text) => {
    expect(ids(text)).toEqual(asTheLibrarySays(text))
    // Now all words of the text are cached.
    expect(ids(text)).toEqual(asTheLibrarySays(text))
  })

  test("any", () => {
    const part = oneof(string(), string({ unit: "binary" }), constantFrom(" ", "\n", "[SEP]", "Σ"))
    assert(
      property(array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        expect(ids(text)).toEqual(asTheLibrarySays(text))
      }),
    )
  })
})

test("a tokenizer that looks across words gets the whole text", async () => {
  const other = await AutoTokenizer.from_pretrained(SHIPPED_MODELS.multilingual)
  const text = "Der Plattenplatz, 日本語 und  mehr"
  const { input_ids: expected } = other(text, { return_tensor: false })
  expect(tokenIdsOf(other, 512)(text)).toEqual(expected)
})
