import type { Half } from "./cases.ts"

export type Disguise = (text: string) => string

/** Ways to disguise an order; readers see the same text. */
export const DISGUISES: Readonly<Record<string, Disguise>> = {
  plain: (text) => text,
  "capital letters": (text) => text.toUpperCase(),
  "zero-width spaces": (text) => text.replace(/\b(\p{L}{2})(\p{L})/gu, "$1\u200B$2"),
  "soft hyphens": (text) => text.replace(/\b(\p{L}{3})(\p{L})/gu, "$1\u00AD$2"),
  "full-width letters": (text) =>
    text.replace(/[a-z]/gi, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfe_e0)),
  "letters of another weight": (text) =>
    text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! - 97 + 0x1_d4_1a)),
  "line breaks": (text) => text.replaceAll(" ", "\n"),
}

/** A disguise of a later set of cases. */
export interface LaterDisguise {
  readonly half: Half
  /** Whether a reader sees any of the order. */
  readonly isSeen: boolean
  /** Writes the disguised text. The mark may be encoded, see {@link revealed}; private-use characters stand for tags. */
  readonly write: (text: string) => string
}

const latin = (text: string, change: (letter: string) => string): string =>
  text.replace(/zorvex\w+|[a-z]/gi, (found) => (found.length > 1 ? found : change(found)))
const letters = (from: string, to: string) => {
  const others = Array.from(to)
  return (text: string) => latin(text, (letter) => others[from.indexOf(letter)] ?? letter)
}
const between = (sign: string) => (text: string) => text.replace(/(?<=\p{L})(?=\p{L})/gu, sign)
const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8")
const selector = (byte: number): string =>
  String.fromCodePoint(byte < 16 ? 0xfe_00 + byte : 0xe_01_00 + byte - 16)

export const LATER_DISGUISES: Readonly<Record<string, LaterDisguise>> = {
  "letters of the Cyrillic alphabet": {
    half: "tuning",
    isSeen: true,
    write: letters("aceopxyiASEOPXCTHM", "асеорхуіАЅЕОРХСТНМ"),
  },
  "letters of the Greek alphabet": {
    half: "kept",
    isSeen: true,
    write: letters("oviuAEIOTHMNXZ", "ονιυΑΕΙΟΤΗΜΝΧΖ"),
  },
  "zero-width joiners": { half: "tuning", isSeen: true, write: between("\u200D") },
  "word joiners": { half: "kept", isSeen: true, write: between("\u2060") },
  "invisible signs of multiplication": { half: "tuning", isSeen: true, write: between("\u2062") },
  "variation selectors": { half: "kept", isSeen: true, write: between("\uFE0F") },
  "marks of direction": {
    half: "tuning",
    isSeen: true,
    write: (text) => text.replaceAll(" ", "\u200E \u2068"),
  },
  "written from the right, with an override": {
    half: "kept",
    isSeen: true,
    write: (text) => `\u202E${Array.from(text).toReversed().join("")}\u202C`,
  },
  "signs of tags": {
    half: "tuning",
    isSeen: false,
    write: (text) =>
      Array.from(bytesOf(text), (byte) => (byte < 0x80 ? String.fromCodePoint(0xe_00_00 + byte) : "")).join(
        "",
      ),
  },
  "bytes in variation selectors": {
    half: "kept",
    isSeen: false,
    write: (text) => `😀${Array.from(bytesOf(text), selector).join("")}`,
  },
  base64: { half: "tuning", isSeen: true, write: (text) => bytesOf(text).toString("base64") },
  hexadecimal: { half: "kept", isSeen: true, write: (text) => bytesOf(text).toString("hex") },
  "accents over letters": {
    half: "tuning",
    isSeen: true,
    write: (text) => latin(text, (letter) => `${letter}\u0301`),
  },
  "strokes through letters": {
    half: "kept",
    isSeen: true,
    write: (text) => latin(text, (letter) => `${letter}\u0336`),
  },
  "digits for letters": { half: "tuning", isSeen: true, write: letters("aeiot", "43107") },
  "letters apart": {
    half: "kept",
    isSeen: true,
    write: (text) => latin(text.replaceAll(" ", "  "), (letter) => `${letter} `),
  },
  "small capitals": {
    half: "tuning",
    isSeen: true,
    write: letters("abcdeghijklmnoprtuvwz", "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡᴢ"),
  },
  "letters in circles": {
    half: "kept",
    isSeen: true,
    write: (text) =>
      latin(text, (letter) => String.fromCodePoint(letter.toLowerCase().codePointAt(0)! - 97 + 0x24_d0)),
  },
  "tags within words": {
    half: "tuning",
    isSeen: true,
    write: (text) => text.replace(/\b(\p{L}{2})(\p{L}+)/gu, "$1\uE000$2\uE001"),
  },
  "places to break within words": {
    half: "kept",
    isSeen: true,
    write: (text) => text.replace(/\b(\p{L}{2})(\p{L}+)/gu, "$1\uE002$2"),
  },
}

/** The mark stays as it is, so that a reader of the page can copy it. */
const inWords = (text: string, change: (word: string) => string): string =>
  text.replace(/zorvex\w+|[a-z]+/gi, (word) => (word.startsWith("zorvex") ? word : change(word)))
const byLetter = (text: string, change: (letter: string) => string): string =>
  inWords(text, (word) => Array.from(word, change).join(""))
const instead = (from: string, to: string) => {
  const others = Array.from(to)
  return (text: string) => byLetter(text, (letter) => others[from.indexOf(letter)] ?? letter)
}
const codeOf = (letter: string): number => letter.codePointAt(0)!

export const THIRD_DISGUISES: Readonly<Record<string, LaterDisguise>> = {
  "dots between letters": {
    half: "tuning",
    isSeen: true,
    write: (text) => inWords(text, (word) => Array.from(word).join(".")),
  },
  "underscores between words": { half: "kept", isSeen: true, write: (text) => text.replaceAll(" ", "_") },
  "letters that changed places": {
    half: "tuning",
    isSeen: true,
    write: (text) =>
      inWords(text, (word) => (word.length < 5 ? word : word[0]! + word[2]! + word[1]! + word.slice(3))),
  },
  "words from the right": {
    half: "kept",
    isSeen: true,
    write: (text) => inWords(text, (word) => Array.from(word).toReversed().join("")),
  },
  "letters of addresses": {
    half: "tuning",
    isSeen: true,
    write: (text) =>
      byLetter(text, (letter) => ("aeiou".includes(letter) ? `%${codeOf(letter).toString(16)}` : letter)),
  },
  "letters by their numbers": {
    half: "kept",
    isSeen: true,
    write: (text) => byLetter(text, (letter) => `&#${codeOf(letter)};`),
  },
  "signs for letters": { half: "tuning", isSeen: true, write: instead("aeios", "@3!0$") },
  "letters in squares": {
    half: "kept",
    isSeen: true,
    write: (text) =>
      byLetter(text, (letter) => String.fromCodePoint(codeOf(letter.toUpperCase()) - 65 + 0x1_f1_30)),
  },
  "letters thirteen further": {
    half: "tuning",
    isSeen: true,
    write: (text) =>
      byLetter(text, (letter) => {
        const first = letter < "a" ? 65 : 97
        return String.fromCodePoint(((codeOf(letter) - first + 13) % 26) + first)
      }),
  },
  "letters upside down": {
    half: "kept",
    isSeen: true,
    write: instead("abcdefghijkmnprtuvwy", "ɐqɔpǝɟƃɥᴉɾʞɯudɹʇnʌʍʎ"),
  },
}

/** A text together with the texts encoded in it, to be searched for a mark. */
export function revealed(text: string): string {
  const tags = Array.from(text.matchAll(/[\u{E0020}-\u{E007E}]/gu), ([sign]) =>
    String.fromCodePoint(sign.codePointAt(0)! - 0xe_00_00),
  ).join("")
  const selected = Buffer.from(
    Array.from(text.matchAll(/[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu), ([sign]) => {
      const code = sign.codePointAt(0)!
      return code < 0xe_01_00 ? code - 0xfe_00 : code - 0xe_01_00 + 16
    }),
  ).toString("utf8")
  const decoded = Array.from(text.matchAll(/[A-Za-z0-9+/]{24,}/g), ([run]) => {
    const isHex = /^[0-9a-f]+$/.test(run)
    return Buffer.from(run, isHex ? "hex" : "base64").toString("utf8")
  })
  const plain = text.replace(/[\p{Cf}\p{Mn}]/gu, "")
  return [plain, Array.from(plain).toReversed().join(""), tags, selected, ...decoded].join("\n")
}
