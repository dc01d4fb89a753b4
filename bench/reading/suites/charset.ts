// The labels of the WHATWG Encoding Standard, in the header and in <meta>; Node's TextDecoder is the oracle.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { rightOrWrong, rightRow } from "../scoring.ts"
import { suite } from "../suite.ts"

interface Group {
  readonly encodings: readonly { readonly name: string; readonly labels: readonly string[] }[]
}

interface Wanted {
  readonly text: string
  /** The charset in the HTTP header; `null` if the page declares it. */
  readonly header: string | null
}

/** An encoding whose labels decoders need not know: the standard turns a whole page into one U+FFFD. */
const WITHOUT_TEXT = "replacement"
/** A page cannot declare these encodings itself: the standard then reads it as UTF-8 or windows-1252. */
const NOT_IN_META = new Set(["UTF-16BE", "UTF-16LE", "x-user-defined"])
/** ESC $ B, three hiragana, ESC ( B. */
const SHIFTED = [0x1b, 0x24, 0x42, 0x24, 0x22, 0x24, 0x24, 0x24, 0x26, 0x1b, 0x28, 0x42]

export const charset = suite({
  name: "charset",
  folder: "encoding",
  goal: "all",
  cases: async (root) => {
    const groups = JSON.parse(readFileSync(join(root, "encodings.json"), "utf8")) as readonly Group[]
    return groups
      .flatMap(({ encodings }) => encodings)
      .filter(({ name }) => name !== WITHOUT_TEXT)
      .flatMap(({ name, labels }) => {
        const sample = sampleOf(name)
        return labels.flatMap((label) => {
          const page = Buffer.concat([Buffer.from(`<meta charset="${label}"><p>`), sample])
          const decoder = new TextDecoder(name)
          const one = (input: Uint8Array, header: string | null) => ({
            name: `${label} (${header === null ? "meta" : "header"})`,
            input,
            url: "https://labels.example/",
            wanted: { header, text: decoder.decode(input) },
          })
          return [one(sample, label), ...(NOT_IN_META.has(name) ? [] : [one(page, null)])]
        })
      })
  },
  reader: async (code) => {
    const { decodeText } = await code.load<{
      decodeText: (body: Uint8Array, declared: string | null) => string
    }>("page/charset.ts")
    return ({ input, wanted }) => decodeText(input, wanted.header)
  },
  judge: ({ wanted }: { readonly wanted: Wanted }, read) => ({
    ...rightOrWrong(read === wanted.text, `${read.slice(-40)}, wanted ${wanted.text.slice(-40)}`),
    isHeader: wanted.header !== null,
  }),
  rows: (marks) => [
    rightRow(
      "labels in the header",
      marks.filter(({ isHeader }) => isHeader),
    ),
    rightRow(
      "labels in <meta>",
      marks.filter(({ isHeader }) => !isHeader),
    ),
  ],
  listBelow: 1,
})

/** Bytes with every character beyond ASCII that the encoding writes in one byte, or a few hundred that it writes in two. */
function sampleOf(encoding: string): Uint8Array {
  if (encoding === "UTF-8") return Buffer.from("Grüße — 灯台")
  // This encoding contains only private-use characters.
  if (encoding === "x-user-defined") return Uint8Array.of(0x41, 0x80, 0xff)
  if (encoding === "ISO-2022-JP") return Buffer.from(SHIFTED)
  if (encoding === "UTF-16LE") return Buffer.from("Grüße — 灯台", "utf16le")
  if (encoding === "UTF-16BE") return Buffer.from("Grüße — 灯台", "utf16le").swap16()
  const strict = new TextDecoder(encoding, { fatal: true })
  // Node's tables have control characters and private-use characters where they lack a part of Big5 and EUC-KR.
  const isText = (bytes: readonly number[]) => {
    try {
      return !/[\p{Cc}\p{Co}]/u.test(strict.decode(Uint8Array.from(bytes)))
    } catch {
      return false
    }
  }
  const high = Array.from({ length: 128 }, (_, i) => i + 128)
  const single = high.filter((byte) => isText([byte]))
  const pairs = high
    .filter((byte) => !isText([byte]))
    .flatMap((lead) => [0x61, 0xa4, 0xc1].map((trail) => [lead, trail]))
    .filter(isText)
  return Uint8Array.from([
    ...single.flatMap((byte) => [byte, 0x20]),
    ...pairs.flatMap((pair) => [...pair, 0x20]),
  ])
}
