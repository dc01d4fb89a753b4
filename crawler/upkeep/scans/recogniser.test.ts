import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pdf } from "../../testing/pdf-file.ts"
import { characterError, scanFile, scannedLines, testRecognition, type Wear } from "../../testing/scans.ts"
import { recognisedLines } from "../../page/scans/recognised-page.ts"
import { PdfPictures } from "./pictures.ts"
import { Recogniser } from "./recogniser.ts"

const PHOTOTEST =
  "This is a lot of 12 point text to test the ocr code and see if it works on all types of file format. The quick brown dog jumped over the lazy fox. The quick brown dog jumped over the lazy fox. The quick brown dog jumped over the lazy fox. The quick brown dog jumped over the lazy fox."
const GREEK =
  "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης."
const LETTER = [
  "Dear Mr Hollis, the gauge at the lower gate was read on 14 March 1987",
  "at six in the morning. It stood at 3.72 metres, which is 12 cm above the",
  "mark of last year. The second pump (No. 4471-B) draws air at the flange;",
  "please have the gasket replaced before the spring flood, at a cost of no",
  "more than $180. Yours faithfully, J. Quaglia, keeper of the weir",
]

describe("text in images of pages", { tags: ["recognition"] }, () => {
  let recogniser: Recogniser
  beforeAll(async () => {
    recogniser = await Recogniser.open(testRecognition())
  })
  afterAll(() => {
    recogniser[Symbol.dispose]()
  })

  const read = async (file: Uint8Array) => {
    using pictures = await PdfPictures.open(testRecognition(), file)
    recogniser.forgetLanguage()
    return recogniser.read(await pictures.picture(1), 1)
  }
  const textOf = async (file: Uint8Array) =>
    recognisedLines(await read(file))
      .map(({ text }) => text)
      .join("\n")

  test.each([
    ["a fax of plain English", "phototest.pdf", PHOTOTEST, "eng"],
    ["the same, lying on its side", "phototest-turned.pdf", PHOTOTEST, "eng"],
    ["Greek", "greek.pdf", GREEK, "ell"],
  ])("%s is read without errors in its own language", async (_, name, text, language) => {
    const page = await read(scanFile(name))
    expect(page.by).toMatch(new RegExp(`: ${language}$`))
    const own = recognisedLines(page).map((line) => line.text)
    expect(characterError(own.join("\n"), text)).toBeLessThanOrEqual(0.01)
  })

  test.each<[string, Wear, number]>([
    ["clean", {}, 0.02],
    ["askew", { skew: 2 }, 0.02],
    ["noisy and blurred", { noise: 24, blur: 1.2 }, 0.06],
    ["askew, noisy and blurred", { skew: -1.5, noise: 20, blur: 1 }, 0.06],
  ])("a letter that is %s is read with few errors", async (_, wear, most) => {
    const text = await textOf(await scannedLines([LETTER], wear))
    expect(characterError(text, LETTER.join("\n"))).toBeLessThanOrEqual(most)
  })

  test("two columns are read one after the other", async () => {
    const left = [
      "The tide tables of the harbour are",
      "printed each autumn by the pilots,",
      "and sold at the lock house. Whoever",
      "sails before dawn asks the keeper,",
      "who reads the gauge every morning",
      "at six, and writes what it shows",
      "into the book beside the door. The",
      "oldest of these books is of 1871.",
    ]
    const right = [
      "Ferries leave at seven in summer,",
      "and at eight when the clocks have",
      "been set back. Bicycles travel for",
      "nothing, dogs for half the fare.",
      "In fog the bell on the pier rings",
      "twice a minute until the boat has",
      "answered with her horn. Nobody may",
      "board while the gangway is raised.",
    ]
    const column = (texts: readonly string[], x: number) =>
      texts.map((text, at) => ({ x, y: 730 - 15 * at, text }))
    const text = await textOf(pdf([{ texts: [...column(left, 60), ...column(right, 330)] }]))
    expect(characterError(text, [...left, ...right].join("\n"))).toBeLessThanOrEqual(0.02)
  })

  test("an empty page and a page of noise yield no text", async () => {
    expect((await read(await scannedLines([[]]))).runs).toEqual([])
    expect((await read(await scannedLines([[]], { noise: 60 }))).runs).toEqual([])
  })
})
