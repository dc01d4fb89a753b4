import { SCRIPTS } from "../../../text/scripts.ts"

/** Scripts to look for, by their Unicode names. */
const LOOKED_FOR = [
  "Latin",
  "Hiragana",
  "Katakana",
  ...Object.keys(SCRIPTS).filter((script) => script !== "Kana"),
  "Telugu",
  "Khmer",
  "Lao",
  "Myanmar",
  "Sinhala",
  "Gujarati",
  "Gurmukhi",
  "Kannada",
  "Malayalam",
  "Ethiopic",
]
/**
 * A model supports a script if its vocabulary has this many multi-letter pieces, or this many letters, in the script.
 * all-MiniLM-L6-v2 spells out everything except Latin letters: it has 8 pieces of Cyrillic, none of Han, and 494 single
 * letters of Han. multilingual-e5-small has 404 pieces of Katakana and thousands of every other script.
 */
const PIECES = 50
const LETTERS = 2000
const MARK = /^(?:##|[▁Ġ])/

/**
 * The Unicode names of the scripts for which a tokenizer has pieces; `null` if its file doesn't show them, for example
 * because it works on bytes.
 *
 * @param tokenizer the JSON of the tokenizers library
 */
export function vocabularyScripts(tokenizer: unknown): readonly string[] | null {
  const pieces = piecesOf(tokenizer)
  if (pieces === null) return null
  const scripts = LOOKED_FOR.filter((script) => {
    const several = new RegExp(`^\\p{Script=${script}}[\\p{Script=${script}}\\p{M}]+$`, "u")
    const letter = new RegExp(`^\\p{Script=${script}}$`, "u")
    let [words, letters] = [0, 0]
    for (const piece of pieces) {
      if (several.test(piece)) words++
      else if (letter.test(piece)) letters++
      if (words >= PIECES || letters >= LETTERS) return true
    }
    return false
  })
  return scripts.length > 0 ? scripts : null
}

interface TokenizerFile {
  readonly model?: { readonly vocab?: unknown }
  readonly decoder?: { readonly type?: unknown } | null
}

function piecesOf(tokenizer: unknown): readonly string[] | null {
  const { model, decoder } = (tokenizer ?? {}) as TokenizerFile
  const vocab = model?.vocab
  if (typeof vocab !== "object" || vocab === null || decoder?.type === "ByteLevel") return null
  const pieces = Array.isArray(vocab)
    ? vocab.map((piece: unknown) => String((piece as unknown[])[0]))
    : Object.keys(vocab)
  return pieces.map((piece) => piece.replace(MARK, ""))
}
