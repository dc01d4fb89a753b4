import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gunzipSync } from "node:zlib"
import { detectLanguage } from "../../page/extract/facts/detect-language.ts"
import type { Recognition } from "../../page/scans/installed.ts"
import type { RecognisedPage } from "../../page/scans/recognised-page.ts"
import type { Picture } from "./pictures.ts"
import { linesOf, runsOf, type TesseractPage } from "./runs.ts"

/** Where the engine finds a picture in its own file system, which is memory. */
const INPUT = "/input"
/** Page segmentation of whole pages: blocks, columns and lines are found. */
const WHOLE_PAGE = 3
/** The engine's newer recogniser, the only one that is trained here. */
const LSTM = 1
/** Radians from which a picture is turned until its lines are level; less harms no line. */
const LEAST_SKEW = 0.005
/** Inches of a page's height that show in which language it is: half a dozen lines. */
const STRIP = 1.2
/** Pixels. Lines nearer to the edge of a strip than this may be cut. */
const EDGE = 4
/** Mean confidence in percent. Languages that share their letters are as sure of each other's words, so the words decide among the surest. */
const NEAR = 12
/** A page with less is tried in other languages. */
const SURE = 70
/** A language that is as sure, of words that are its own, is the page's. */
const CERTAIN = 85
/** A page with less, or a line, is a drawing or a photograph. */
const LEAST = 45

/** The engine's own names. */
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

/** Recognises text in pictures of pages, in the languages that are installed. Works in this thread, seconds for a page. */
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
  /** The language that the engine is ready for. */
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

  /** To be called when the next page is from another file. */
  forgetLanguage(): void {
    this.#language = null
  }

  /**
   * The text of a page, which may lie on a side or on its head.
   * @param page its number
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
    // A page without text says nothing about the next one.
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

  /** The language in which a part of the page is read most surely. */
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
    // A portable grey map, the plainest of the formats that the engine reads.
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
    if (this.#api.Init(null, language, LSTM) !== 0) throw new Error(`the data of ${language} can't be read`)
    return this.#api
  }
}

interface Recognised {
  /** Mean of the words, in percent. */
  readonly confidence: number
  readonly text: string
  readonly page: TesseractPage
}

/** Whether a page is surely in a language, or shows too little text to tell another. */
function isWrittenIn({ confidence, text }: Recognised, language: string): boolean {
  if (confidence < CERTAIN) return false
  const spoken = detectLanguage(text)
  return spoken === null || spoken === isoOf(language)
}

/** The recognised text of a strip, without the lines that the strip cuts. */
function summary(page: TesseractPage, height: number): { confidence: number; text: string } {
  const lines = linesOf(page).filter(({ bbox }) => bbox.y0 > EDGE && bbox.y1 < height - EDGE)
  const words = lines.flatMap((line) => line.words)
  const sure = words.reduce((sum, { confidence }) => sum + confidence, 0)
  return {
    confidence: words.length === 0 ? 0 : sure / words.length,
    text: words.map(({ text }) => text).join(" "),
  }
}

/** ISO 639-1, of Tesseract's code: `de` of `deu`, `zh` of `chi_sim`. */
function isoOf(language: string): string {
  return new Intl.Locale(language.split("_", 1)[0]!).language
}

/** A picture turned to the right by one, two and three right angles. */
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
  /** Edges above each row. */
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
