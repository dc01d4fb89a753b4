import { UNSPACED } from "./pdf-frames.ts"

/** The library's data about a font: its letters by code, if the file specifies them. */
export interface FontFacts {
  readonly toUnicode?: { readonly _map?: Readonly<Record<number, string>> } | null
  readonly composite?: boolean
}

/** A run of text in one font. */
interface FontText {
  readonly str: string
  readonly fontName: string
}

/** The maximum number of letters examined to judge a font. */
const MAX_SAMPLE = 2000
/** A font is only suspected if at least this share of its letters has no mapping in the file. */
const MOSTLY = 0.5
/** The minimum number of letters needed to judge a font: fewer are signs in a formula or a drawing. */
const LEAST_SAMPLE = 12
/** The share of impossible characters at which letters are taken for misread glyph numbers. */
const LEAST_UNREAL = 0.05
/** Impossible letters: control characters, private and unassigned code points, and U+FFFD. */
const UNREAL = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu

/**
 * Separates readable text from glyph numbers. A file can draw glyphs without saying which letters they are (ISO 32000-1
 * §9.10.2); the library then returns the glyph numbers as if they were letters.
 */
export class PdfLetters {
  /** The number of readable letters in all runs so far, and of unreadable ones; blanks are not counted. */
  readable = 0
  lost = 0
  readonly #fonts = new Map<string, FontSample>()

  /** The runs, without the letters that cannot be decoded. */
  readableOf<Item extends FontText>(
    items: readonly Item[],
    factsOf: (fontName: string) => FontFacts | null,
  ): Item[] {
    for (const { str, fontName } of items) {
      const font = this.#fonts.get(fontName) ?? new FontSample(factsOf(fontName))
      this.#fonts.set(fontName, font)
      font.add(str)
    }
    return items.flatMap((item) => {
      const letters = lettersIn(item.str)
      const str = this.#fonts.get(item.fontName)!.decodedOf(item.str)
      const known = letters === 0 ? 0 : lettersIn(str.replace(UNREAL, ""))
      this.lost += letters - known
      this.readable += known
      return letters > 0 && known === 0 ? [] : [str === item.str ? item : { ...item, str }]
    })
  }
}

class FontSample {
  /** Letters to which the file itself maps codes; null if it has no such map. */
  readonly #known: ReadonlySet<string> | null
  #text = ""
  #verdict: boolean | null = null

  constructor(facts: FontFacts | null) {
    // oxlint-disable-next-line no-underscore-dangle -- the library's own name
    const map = facts?.toUnicode?._map
    this.#known =
      map === undefined ? null : new Set(Object.values(map).flatMap((text) => Array.from(text + plain(text))))
  }

  add(text: string): void {
    if (this.#text.length >= MAX_SAMPLE) return
    this.#text += plain(text.slice(0, MAX_SAMPLE))
    this.#verdict = null
  }

  /** A text in this font without letters that are only glyph numbers. */
  decodedOf(text: string): string {
    this.#verdict ??= this.#judge()
    if (!this.#verdict) return text
    const isKnown = (one: string) => /\s/.test(one) || (/\p{L}/u.test(one) && this.#known!.has(one))
    return this.#known === null ? "" : Array.from(text).filter(isKnown).join("")
  }

  /** Whether the font's unmapped letters are glyph numbers. */
  #judge(): boolean {
    const text = this.#text.replace(/\s/g, "")
    const letters = Array.from(text).length
    const unreal = countOf(text, UNREAL)
    if (letters < LEAST_SAMPLE) return false
    const guessed =
      this.#known === null ? letters : Array.from(text).filter((one) => !this.#known!.has(one)).length
    if (guessed < letters * MOSTLY) return false
    return unreal >= letters * LEAST_UNREAL || !readsAsLanguage(text)
  }
}

/** Natural-language text is mostly in one of these scripts. */
const SCRIPTS = [
  new RegExp(UNSPACED, "gu"),
  /\p{Script=Hangul}/gu,
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Greek}/gu,
  /\p{Script=Arabic}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Thai}/gu,
  /\p{Script=Devanagari}/gu,
  /\p{Nd}/gu,
]
const LEAST_OF_SCRIPT = 0.6
/** Most letters of Latin text are lower case, and a third of its capitals are vowels; in glyph numbers both shares are smaller. */
const LEAST_SMALL = 0.4
const LEAST_VOWELS = 0.22

/** Whether letters, which might be glyph numbers, have the distribution of a natural language. */
function readsAsLanguage(text: string): boolean {
  const { length } = Array.from(text)
  if (SCRIPTS.some((script) => countOf(text, script) >= length * LEAST_OF_SCRIPT)) return true
  const latin = text.normalize("NFD")
  if (countOf(latin, /[a-z]/g) >= length * LEAST_SMALL) return true
  const letters = countOf(latin, /[a-z]/gi)
  return letters >= length * LEAST_OF_SCRIPT && countOf(latin, /[aeiouy]/gi) >= letters * LEAST_VOWELS
}

/** Replaces ligatures and marks of vertical text with plain characters. */
const plain = (text: string): string => text.normalize("NFKC")

const lettersIn = (text: string): number => countOf(text, /\S/gu)

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
