import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gunzipSync } from "node:zlib"
import { detectLanguage } from "../../page/extract/facts/detect-language.ts"
import type { Recognition } from "../../page/scans/installed.ts"
import type { RecognisedPage } from "../../page/scans/recognised-page.ts"
import type { Picture } from "./pictures.ts"
import { linesOf, runsOf, type TesseractPage } from "./runs.ts"

/** The path of the image in the engine's own file system, which is in memory. */
const INPUT = "/input"
/** Page segmentation mode for whole pages: detects blocks, columns and lines. */
const WHOLE_PAGE = 3
/** The engine's newer recogniser, the only one with models here. */
const LSTM = 1
/** Minimum skew in radians at which an image is rotated to level its lines; a smaller skew does no harm. */
const LEAST_SKEW = 0.005
/** Height in inches of the part of a page used to detect its language: half a dozen lines. */
const STRIP = 1.2
/** Height in pixels of the margins of a strip: lines closer to its edge might be cut off. */
const EDGE = 4
/**
 * In percentage points of mean confidence: among the languages that are this close to the best one, the words decide,
 * because models for languages with the same letters read each other's words with equal confidence.
 */
const NEAR = 12
/** If the confidence for a page is lower, other languages are tried. */
const SURE = 70
/** If a language reaches this confidence and the words belong to it, the page is in that language. */
const CERTAIN = 85
/** A page or line with lower confidence is taken for a drawing or a photograph. */
const LEAST = 45

/** The parts of the engine used here, under the engine's own names. */
interface Engine {
  readonly FS: {
    writeFile(name: string, data: Uint8Array): void
    unlink(name: string): void
  }
  readonly TessBaseAPI: new () => Api
}

interface Api {
  Init(folder: null, language: string, mode: number): number
  SetPageSegMode(mode: number): void
  SetVariable(name: string, value: string): void
  SetImageFile(orientation: number, angle: number): number
  FindLines(): number
  GetGradient(): number
  Recognize(monitor: null): number
  MeanTextConf(): number
  GetUTF8Text(): string
  GetJSONText(page: number): string
  Clear(): void
  End(): void
}

/** Recognises text in images of pages, in the installed languages. Works in this thread and takes seconds per page. */
export class Recogniser implements Disposable {
  readonly #recognition: Recognition
  readonly #languages: readonly string[]
  readonly #engine: Engine
  readonly #loaded = new Set<string>()
  #api: Api | null = null
  /** The language of the last page, since pages of one file are mostly in one language. */
  #language: string | null = null
  /** The language of the last page with text, in any file. */
  #last: string | null = null
  /** The language that the engine is initialised for. */
  #current: string | null = null

  static async open(recognition: Recognition): Promise<Recogniser> {
    const start = createRequire(import.meta.url)(recognition.engine) as (options: object) => Promise<Engine>
    const silent = () => undefined
    return new Recogniser(recognition, await start({ print: silent, printErr: silent }))
  }

  private constructor(recognition: Recognition, engine: Engine) {
    this.#recognition = recognition
    this.#languages = [...recognition.languages.keys()]
    this.#engine = engine
  }

  /** Must be called before a page of another file is recognised. */
  forgetLanguage(): void {
    this.#language = null
  }

  /**
   * The text of a page, which can be sideways or upside down.
   * @param page the page's number
   * @throws Error when the engine rejected the image
   */
  read(picture: Picture, page: number): RecognisedPage {
    const upright = this.#read(picture, page)
    if (upright.confidence >= SURE || upright.isBlank) return upright.page
    const turns = [...turned(picture)].map((turn) => {
      const strip = busiestStrip(turn)
      const languages = this.#languages.map((language) =>
        summary(this.#recognised(strip, language).page, strip.height),
      )
      return { turn, confidence: Math.max(...languages.map(({ confidence }) => confidence)) }
    })
    const best = turns.reduce((a, b) => (b.confidence > a.confidence ? b : a))
    if (best.confidence < SURE) return upright.page
    this.#language = null
    return this.#read(best.turn, page).page
  }

  #read(picture: Picture, page: number): { page: RecognisedPage; confidence: number; isBlank: boolean } {
    const { dpi } = picture
    const isFirst = this.#language === null
    let language = this.#language ?? this.#last ?? this.#languages[0]!
    let text = this.#recognised(picture, language)
    const isRight = isFirst ? isWrittenIn(text, language) : text.confidence >= SURE
    const better = isRight ? language : this.#languageOf(picture)
    if (better !== language) {
      language = better
      text = this.#recognised(picture, language)
    }
    const points = (pixels: number) => Math.round((pixels * 720) / dpi) / 10
    const by = `${this.#recognition.name}: ${language}`
    const runs = text.confidence < LEAST ? [] : runsOf(text.page, points, LEAST)
    // A page without text gives no hint about the next page's language.
    this.#language = runs.length === 0 ? null : language
    this.#last = this.#language ?? this.#last
    return {
      page: { page, width: points(picture.width), height: points(picture.height), runs, by },
      confidence: text.confidence,
      isBlank: text.text.trim() === "",
    }
  }

  [Symbol.dispose](): void {
    this.#api?.End()
  }

  /** The language in which part of the page is read with the highest confidence. */
  #languageOf(picture: Picture): string {
    const languages = this.#languages
    if (languages.length < 2) return languages[0]!
    const strip = busiestStrip(picture)
    const tries = languages.map((language) => {
      const { page } = this.#recognised(strip, language)
      return { language, ...summary(page, strip.height) }
    })
    const best = tries.reduce((a, b) => (b.confidence > a.confidence ? b : a))
    const spoken = detectLanguage(best.text)
    const near = tries.filter(({ confidence }) => confidence >= best.confidence - NEAR)
    return (near.find(({ language }) => isoOf(language) === spoken) ?? best).language
  }

  #recognised(picture: Picture, language: string): Recognised {
    const api = this.#apiFor(language)
    const { width, height, grey, dpi } = picture
    // A portable graymap, the simplest format that the engine reads.
    const header = Buffer.from(`P5\n${width} ${height}\n255\n`)
    this.#engine.FS.writeFile(INPUT, Buffer.concat([header, grey]))
    try {
      api.SetPageSegMode(WHOLE_PAGE)
      api.SetVariable("user_defined_dpi", String(Math.round(dpi)))
      if (api.SetImageFile(1, 0) === 1) throw new Error("the engine rejected the image")
      api.FindLines()
      const skew = api.GetGradient()
      if (Math.abs(skew) >= LEAST_SKEW) api.SetImageFile(1, skew)
      api.Recognize(null)
      const page = JSON.parse(api.GetJSONText(0)) as TesseractPage
      return { confidence: api.MeanTextConf(), text: api.GetUTF8Text(), page }
    } finally {
      api.Clear()
      this.#engine.FS.unlink(INPUT)
    }
  }

  #apiFor(language: string): Api {
    if (this.#api !== null && this.#current === language) return this.#api
    if (!this.#loaded.has(language)) {
      const bytes = readFileSync(this.#recognition.languages.get(language)!)
      const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b
      this.#engine.FS.writeFile(`./${language}.traineddata`, isGzipped ? gunzipSync(bytes) : bytes)
      this.#loaded.add(language)
    }
    this.#api?.End()
    this.#api = new this.#engine.TessBaseAPI()
    this.#current = language
    if (this.#api.Init(null, language, LSTM) !== 0) throw new Error(`the data for ${language} can't be read`)
    return this.#api
  }
}

interface Recognised {
  /** Mean confidence of the words, in percent. */
  readonly confidence: number
  readonly text: string
  readonly page: TesseractPage
}

/** Whether a page is certainly in the given language, or has too little text to suggest another. */
function isWrittenIn({ confidence, text }: Recognised, language: string): boolean {
  if (confidence < CERTAIN) return false
  const spoken = detectLanguage(text)
  return spoken === null || spoken === isoOf(language)
}

/** The recognised text of a strip, without the lines that the strip cuts off. */
function summary(page: TesseractPage, height: number): { confidence: number; text: string } {
  const lines = linesOf(page).filter(({ bbox }) => bbox.y0 > EDGE && bbox.y1 < height - EDGE)
  const words = lines.flatMap((line) => line.words)
  const sure = words.reduce((sum, { confidence }) => sum + confidence, 0)
  return {
    confidence: words.length === 0 ? 0 : sure / words.length,
    text: words.map(({ text }) => text).join(" "),
  }
}

/** The ISO 639-1 code for Tesseract's code: `de` for `deu`, `zh` for `chi_sim`. */
function isoOf(language: string): string {
  return new Intl.Locale(language.split("_", 1)[0]!).language
}

/** Rotates an image clockwise by one, two and three right angles. */
function* turned(picture: Picture): Generator<Picture> {
  let { grey, width, height } = picture
  for (let turns = 1; turns < 4; turns += 1) {
    const next = new Uint8Array(grey.length)
    for (let y = 0, from = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1, from += 1) next[x * height + height - 1 - y] = grey[from]!
    ;[grey, width, height] = [next, height, width]
    yield { ...picture, grey, width, height }
  }
}

/** The part of a page with the most edges, which is most likely text. */
function busiestStrip({ grey, width, height, dpi }: Picture): Picture {
  const rows = Math.min(height, Math.round(dpi * STRIP))
  /** Number of edges above each row. */
  const above = new Uint32Array(height + 1)
  for (let y = 0; y < height; y += 1) {
    let edges = 0
    for (let at = y * width + 8, end = (y + 1) * width; at < end; at += 8)
      if (Math.abs(grey[at]! - grey[at - 8]!) > 64) edges += 1
    above[y + 1] = above[y]! + edges
  }
  let top = 0
  for (let y = 0; y + rows <= height; y += 1)
    if (above[y + rows]! - above[y]! > above[top + rows]! - above[top]!) top = y
  return { grey: grey.subarray(top * width, (top + rows) * width), width, height: rows, dpi }
}
