import { Parser } from "htmlparser2"

// UTF-8 that a program mistook for windows-1252 and encoded again: `weâ€™re` for `we’re`.

/** The characters of windows-1252 for the bytes 0x80 to 0x9f; five of them are control characters in windows-1252 too. */
const SIGNS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"
const BYTE_OF_SIGN = new Map(Array.from(SIGNS, (sign, i) => [sign, 0x80 + i] as const))
/** A continuation byte of UTF-8, decoded as windows-1252 or Latin-1. */
const NEXT = `[\\x80-\\xbf${SIGNS}]`
/** The maximum number of characters in one match, so that a text made up only of such characters does not need a deep stack. */
const MOST_AT_ONCE = 50
const ENCODED = `(?:[\\xc2-\\xdf]${NEXT}|[\\xe0-\\xef]${NEXT}{2}|[\\xf0-\\xf4]${NEXT}{3}){1,${MOST_AT_ONCE}}`
const ENCODED_TEXT = new RegExp(ENCODED, "g")
/** Words on pages that explain twice-encoded text rather than contain it by mistake. */
// Lists each letter in both cases, because V8 forgets a modifier such as `(?i:)` in a process that has many
// expressions.
const TALK =
  "mojibake|utf-?8|unicode|latin-?1|iso-?8859|(?:windows|cp)-?125[0-9]|charset|double[- ]encod|character (?:set|encoding)".replace(
    /[a-z]/g,
    (letter) => `[${letter}${letter.toUpperCase()}]`,
  )
const TOKENS = new RegExp(`<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>|(${TALK})|(${ENCODED})`, "g")
/** Elements that contain a program. */
const PROGRAM = /^(?:script|style)$/i
/** Elements that quote their text literally. */
const QUOTED = /^(?:code|kbd|samp|tt)$/i
/** The maximum number of repeated encodings that are undone. */
const MOST_ROUNDS = 3

/** The first UTF-8 byte of the letters À to ÿ; all text encoded twice begins with one of them. */
const LETTER = 0xc3
/** The first UTF-8 bytes of the windows-1252 characters for 0x80 to 0xbf. */
const SIGN_BYTES = new Set([0xc2, 0xc5, 0xc6, 0xcb, 0xe2])

/** Whether the UTF-8 bytes contain a letter from Â to ô directly before one of {@link SIGN_BYTES}. Searches bytes for speed, since most pages contain no such pair. */
export function mayBeTwiceEncoded(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(LETTER); at >= 0; at = bytes.indexOf(LETTER, at + 2)) {
    const letter = bytes[at + 1]!
    if (letter >= 0x82 && letter <= 0xb4 && SIGN_BYTES.has(bytes[at + 2]!)) return true
  }
  return false
}

/**
 * Repairs text that was encoded twice, if that is certain: within or next to words, in a page that neither quotes such
 * text, alone or as code, nor names encodings. Any other text is returned unchanged.
 */
export function onceEncoded(text: string): string {
  let now = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const places = showsTwiceEncoded(now) ? placesIn(now) : []
    if (places.length === 0) break
    now = repaired(now, places)
  }
  return now
}

/** The characters of windows-1251 for the bytes from 0x80 on. */
const CYRILLIC = new TextDecoder("windows-1251").decode(Uint8Array.from({ length: 0x80 }, (_, i) => 0x80 + i))
const CYRILLIC_NEXT = `[${CYRILLIC.slice(0, 0x40)}]`
/** Matches Cyrillic letters in UTF-8, read as windows-1251: `РјР°С`. No language has three capitals in a row, each followed by one of {@link CYRILLIC_NEXT}. */
const CYRILLIC_RUN = new RegExp(`(?:[РС]${CYRILLIC_NEXT}){3}`)
const CYRILLIC_ENCODED = new RegExp(
  `(?:[${CYRILLIC.slice(0x42, 0x60)}]${CYRILLIC_NEXT}|[${CYRILLIC.slice(0x60, 0x70)}]${CYRILLIC_NEXT}{2}){1,${MOST_AT_ONCE}}`,
  "g",
)
/** Matches the inside of a tag, or the text between tags. */
const PIECE = /[^<>]+/g
const TALKS = new RegExp(TALK)
/** The first byte of most Cyrillic letters in UTF-8. */
const CYRILLIC_BYTE = 0xd0

/**
 * Repairs Cyrillic text that a program mistook for windows-1251 and encoded again, in the pieces between tags that have
 * no other Cyrillic words.
 */
export function onceEncodedCyrillic(text: string, bytes: Buffer): string {
  if (!bytes.includes(CYRILLIC_BYTE) || !CYRILLIC_RUN.test(text)) return text
  for (const [piece] of text.matchAll(PIECE))
    if (/\p{Script=Cyrillic}/u.test(piece) && TALKS.test(piece)) return text
  const meant = (encoded: string) => decoded(encoded, byteOfCyrillic) ?? encoded
  const isOther = (piece: string) => /[а-яё]{3}/.test(piece.replace(CYRILLIC_ENCODED, " "))
  const isWhole = !isOther(text)
  return text.replace(PIECE, (piece) =>
    isWhole || (CYRILLIC_RUN.test(piece) && !isOther(piece)) ? piece.replace(CYRILLIC_ENCODED, meant) : piece,
  )
}

/** {@link onceEncoded} for HTML whose characters can be written as references, such as `&acirc;&euro;&trade;`. */
export function onceEncodedHtml(html: string): string {
  const plain = html.replace(REFERENCE, unescaped)
  const once = onceEncoded(plain)
  return once === plain ? html : once
}

const REFERENCE = /&(?:#\d{2,4}|#[xX][\da-fA-F]{2,4}|[A-Za-z]{2,6}\d{0,2});/g

/** The character for a reference that could be part of twice-encoded text; other references, such as `&lt;`, are kept. */
function unescaped(reference: string): string {
  let sign = ""
  new Parser({ ontext: (text) => (sign += text) }).end(reference)
  return BYTE_OF_SIGN.has(sign) || /^[\xa0-\xff]$/.test(sign) ? sign : reference
}

interface Place {
  readonly at: number
  readonly end: number
  readonly meant: string
}

/** Whether a text contains text that was encoded twice, quoted or not. The characters alone prove nothing: `été »`, `CAFÉ™`. */
export function showsTwiceEncoded(text: string): boolean {
  ENCODED_TEXT.lastIndex = 0
  for (let found = ENCODED_TEXT.exec(text); found !== null; found = ENCODED_TEXT.exec(text)) {
    const meant = meantBy(found[0])
    if (
      meant !== null &&
      USUAL.test(meant) &&
      isSure(found[0], meant, ...neighbours(text, found.index, ENCODED_TEXT.lastIndex))
    )
      return true
  }
  return false
}

/** The places to repair; empty when the page quotes twice-encoded text. */
function placesIn(text: string): readonly Place[] {
  const places: (Place & { readonly needs: string | null })[] = []
  const firsts = new Set<string>()
  let isCertain = false
  let isProgram = false
  let quoted = 0
  for (const token of text.matchAll(TOKENS)) {
    const [whole, slash, tag, talk, encoded] = token
    if (tag !== undefined) {
      if (PROGRAM.test(tag)) isProgram = slash === ""
      else if (!isProgram && QUOTED.test(tag)) quoted = Math.max(0, quoted + (slash === "" ? 1 : -1))
      continue
    }
    if (talk !== undefined) {
      if (isProgram) continue
      return []
    }
    const meant = meantBy(encoded!)
    if (meant === null) continue
    const place = { at: token.index, end: token.index + whole.length, meant }
    const isUsual = USUAL.test(meant)
    if (!isOne(meant)) for (const first of encoded!.match(FIRSTS)!) firsts.add(first)
    places.push({ ...place, needs: isUsual ? null : encoded![0]! })
    if (isProgram || !isUsual) continue
    const [before, after] = neighbours(text, place.at, place.end)
    if (quoted > 0 || isQuotedAlone(meant, before, after)) return []
    isCertain ||= isSure(encoded!, meant, before, after)
  }
  // A single non-Latin letter is repaired only if the page has longer words in its script.
  return isCertain ? places.filter(({ needs }) => needs === null || firsts.has(needs)) : []
}

function repaired(text: string, places: readonly Place[]): string {
  let written = ""
  let from = 0
  for (const { at, end, meant } of places) {
    written += text.slice(from, at) + meant
    from = end
  }
  return written + text.slice(from)
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Results are cached, because the same few sequences keep recurring. */
const MOST_KNOWN = 1000
const known = new Map<string, string | null>()

/** The characters that were encoded; null if the text was not encoded twice. */
function meantBy(encoded: string): string | null {
  const before = known.get(encoded)
  if (before !== undefined) return before
  const meant = decoded(encoded, byteOf)
  if (known.size === MOST_KNOWN) known.clear()
  // A copy, since a substring keeps the whole text in memory.
  known.set(Buffer.from(encoded).toString(), meant)
  return meant
}

const byteOf = (sign: string): number => BYTE_OF_SIGN.get(sign) ?? sign.charCodeAt(0)
const byteOfCyrillic = (sign: string): number => 0x80 + CYRILLIC.indexOf(sign)

function decoded(encoded: string, byteOfSign: (sign: string) => number): string | null {
  try {
    const meant = strict.decode(Uint8Array.from(encoded, byteOfSign))
    return WRITTEN.test(meant) ? meant : null
  } catch {
    return null
  }
}

/** Matches characters of real text, and the control characters in text that was encoded three times. */
const WRITTEN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u0080-\u009f\u00ad\u200b-\u200f\ufeff]+$/u
/** Matches several characters, an accented Latin letter, or a symbol between words. Other matches occur in correct text by chance: `é »` could also be 頻. */
const USUAL = /^(?:..+|[\u00a0-\u017f\u1e00-\u1eff\u2000-\u27ff\ufb00-\ufb06\ufeff\u{1f000}-\u{1faff}])$/u
/** Matches the first byte of each character. */
const FIRSTS = /[\xc2-\xf4]/g

/** Whether these characters never occur at this place in correct text. */
function isSure(encoded: string, meant: string, before: string, after: string): boolean {
  if (!isOne(meant)) return true
  const isBesideWord = WORD.test(before) || WORD.test(after)
  // â followed by € or its byte: together with the third character, a sequence that is rare in correct text.
  if (/^(?:\xe2[€\x80„\x84‚\x82]|\xf0)/.test(encoded)) return isBesideWord
  if (/^\xc2[©®£¿¡«°]/.test(encoded) && !WORD.test(before)) return true
  // In correct text, no lower-case letter is followed by a capital and then a symbol, and no capital by a symbol and
  // then a lower-case letter.
  return /^[\xc2-\xc5]/.test(encoded) && (SMALL.test(before) || SMALL.test(after))
}

const isOne = (text: string): boolean => /^.$/su.test(text)
const WORD = /[\p{L}\p{N}]/u
const SMALL = /\p{Ll}/u
const QUOTE = /[‘’“”]/
/** Matches the character before or after a quoted character, or the end of the text. */
const AROUND = /^$|["'`‘’“”«»„<>()[\]{}|=]/
/** Matches a character that can be next to a quotation mark in a sentence. */
const SENTENCE = /[\p{L}\p{N}.,!?…;:%$€£#@&*+\-–—/]/u

function isQuotedAlone(meant: string, before: string, after: string): boolean {
  if (!isOne(meant)) return false
  if (QUOTE.test(meant)) return !SENTENCE.test(before) && !SENTENCE.test(after)
  return /\p{L}/u.test(meant) && AROUND.test(before) && AROUND.test(after)
}

const INLINE = "(?:a|b|i|em|strong|span|u|s|q|small|sup|sub|font|mark)"
const TAGS_BEFORE = new RegExp(`(?:</?${INLINE}(?:\\s[^<>]*)?>)+$`, "i")
const TAGS_AFTER = new RegExp(`^(?:</?${INLINE}(?:\\s[^<>]*)?>)+`, "i")
/** The maximum length of the markup around one word. */
const MAX_TAG_CHARS = 200

/** The characters before and after the match, skipping inline tags; empty at the text's ends. */
function neighbours(text: string, at: number, end: number): [before: string, after: string] {
  const before = text[at - 1] ?? ""
  const after = text[end] ?? ""
  return [
    before === ">"
      ? (text
          .slice(Math.max(0, at - MAX_TAG_CHARS), at)
          .replace(TAGS_BEFORE, "")
          .at(-1) ?? "")
      : before,
    after === "<"
      ? (text
          .slice(end, end + MAX_TAG_CHARS)
          .replace(TAGS_AFTER, "")
          .at(0) ?? "")
      : after,
  ]
}
