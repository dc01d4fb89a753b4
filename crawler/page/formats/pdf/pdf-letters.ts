/** What the library says of a font: from its codes to letters, as far as the file knows. */
export interface FontFacts {
  readonly toUnicode?: { readonly _map?: Readonly<Record<number, string>> } | null
  readonly composite?: boolean
}

/** A run of text in one font. */
interface FontText {
  readonly str: string
  readonly fontName: string
}

/** Letters of one font that it is judged by. */
const MAX_SAMPLE = 2000
/** From this share of a font's letters on, the rest is held for no better. */
const MOSTLY = 0.5
/** Fewer letters are signs in a formula or a drawing, of which nothing can be told. */
const LEAST_SAMPLE = 12
/** Numbers of glyphs taken for letters: among them are so many that are no letters at all. */
const LEAST_UNREAL = 0.05
/** What is no letter of anything: control characters, private and unassigned places, and the sign for what is unknown. */
const UNREAL = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu

/**
 * Tells what fonts write from what only looks like letters. A file may draw glyphs and not say which letters they are
 * (ISO 32000-1 §9.10.2): the library then gives the numbers of the glyphs for letters.
 */
export class PdfLetters {
  /** Of all runs so far, blanks apart: letters that can be read, and those that cannot. */
  readable = 0
  lost = 0
  readonly #fonts = new Map<string, FontSample>()

  /** The runs without those whose letters cannot be told. */
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
      const str = this.#fonts.get(item.fontName)!.toldOf(item.str)
      const told = letters === 0 ? 0 : lettersIn(str.replace(UNREAL, ""))
      this.lost += letters - told
      this.readable += told
      return letters > 0 && told === 0 ? [] : [str === item.str ? item : { ...item, str }]
    })
  }
}

class FontSample {
  /** Letters that the file itself gives to codes; null: it gives none. */
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

  /** What is left of a text of this font when letters that are only numbers of glyphs are left out. */
  toldOf(text: string): string {
    this.#verdict ??= this.#judge()
    if (!this.#verdict) return text
    const isTold = (one: string) => /\s/.test(one) || (/\p{L}/u.test(one) && this.#known!.has(one))
    return this.#known === null ? "" : Array.from(text).filter(isTold).join("")
  }

  /** Whether it gives numbers for letters, as far as it has none. */
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

/** Scripts of which text has one, each with those that it is mixed with. */
const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/gu,
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
/** Small letters in words of the Latin script are most, and of its capitals a third are vowels; of shifted ones fewer. */
const LEAST_SMALL = 0.4
const LEAST_VOWELS = 0.22

/** Whether letters, which may be numbers of glyphs, are spread as those of a language. */
function readsAsLanguage(text: string): boolean {
  const { length } = Array.from(text)
  if (SCRIPTS.some((script) => countOf(text, script) >= length * LEAST_OF_SCRIPT)) return true
  const latin = text.normalize("NFD")
  if (countOf(latin, /[a-z]/g) >= length * LEAST_SMALL) return true
  const letters = countOf(latin, /[a-z]/gi)
  return letters >= length * LEAST_OF_SCRIPT && countOf(latin, /[aeiouy]/gi) >= letters * LEAST_VOWELS
}

/** Ligatures, and marks that are turned for columns, as what they stand for. */
const plain = (text: string): string => text.normalize("NFKC")

const lettersIn = (text: string): number => countOf(text, /\S/gu)

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
