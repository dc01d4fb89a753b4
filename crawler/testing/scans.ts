import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { findRecognition, recognitionFolder, type Recognition } from "../page/scans/installed.ts"
import { PdfPictures } from "../upkeep/scans/pictures.ts"
import { lines, pdf, scannedPdf, type TestScan } from "./pdf-file.ts"

/** The root of the checkout, where text recognition is installed. */
const ROOT = join(import.meta.dirname, "../..")

/** Text recognition in English and Greek, for tests that need it. */
export function testRecognition(): Recognition {
  const found = findRecognition(ROOT)
  if (found === null) throw new Error("text recognition is not installed")
  return found
}

/** Installs text recognition in a data folder. */
export function installRecognition(dataDir: string): void {
  const folder = recognitionFolder(dataDir)
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
}

/** Reads a file from upkeep/scans/testing. */
export const scanFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../upkeep/scans/testing", name)))

/** The damage to a page between the printer and the scanner. */
export interface Wear {
  /** Rotation in degrees clockwise. Default 0. */
  readonly skew?: number
  /** Standard deviation of the noise, in grey levels out of 255. Default 0. */
  readonly noise?: number
  /** Blur in pixels. Default 0. */
  readonly blur?: number
}

/** Lines of text on the upper part of a page, as scanned: 300 pixels per inch. */
export async function scanOf(texts: readonly string[], wear: Wear = {}): Promise<TestScan> {
  const file = pdf([{ texts: lines(texts, 60, 730, 15) }])
  using pictures = await PdfPictures.open(testRecognition(), file)
  const { grey, width, height: whole } = await pictures.picture(1)
  const height = Math.min(whole, 400 + texts.length * 63)
  return await wornScan({ grey: grey.subarray(0, width * height), width, height }, wear)
}

/** A page with wear applied: one byte per pixel, 300 pixels per inch. */
export async function wornScan(
  { grey, width, height }: { readonly grey: Uint8Array; readonly width: number; readonly height: number },
  { skew = 0, noise = 0, blur = 0 }: Wear = {},
): Promise<TestScan> {
  let image = sharp(grey, { raw: { width, height, channels: 1 } })
  if (skew !== 0) image = image.rotate(skew, { background: "#fff" })
  if (blur !== 0) image = image.blur(blur)
  const { data, info } = await image.toColourspace("b-w").raw().toBuffer({ resolveWithObject: true })
  if (noise !== 0) await addNoise(data, info, noise)
  const jpeg = await sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .toColourspace("b-w")
    .jpeg({ quality: 60 })
    .toBuffer()
  return { jpeg, width: info.width, height: info.height }
}

/** Turns the paper and the ink grey, and adds grain. */
async function addNoise(
  data: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  sigma: number,
): Promise<void> {
  const create = {
    width,
    height,
    channels: 3 as const,
    background: "#000",
    noise: { type: "gaussian" as const, mean: 128, sigma },
  }
  const grain = await sharp({ create }).extractChannel(0).raw().toBuffer()
  for (let at = 0; at < data.length; at += 1)
    data[at] = Math.max(0, Math.min(255, 30 + data[at]! * 0.75 + grain[at]! - 128))
}

/** A PDF with one scanned page for each list of lines. */
export async function scannedLines(
  pages: readonly (readonly string[])[],
  wear: Wear = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return scannedPdf(await Promise.all(pages.map((texts) => scanOf(texts, wear))))
}

/** Character errors (insertions, deletions and changes) per expected character, regardless of line breaks and quotes. */
export function characterError(read: string, there: string): number {
  const [a, b] = [plain(there), plain(read)]
  let before = Uint32Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [row, one] of a.entries()) {
    const now = new Uint32Array(b.length + 1)
    now[0] = row + 1
    for (const [at, other] of b.entries())
      now[at + 1] = Math.min(before[at + 1]! + 1, now[at]! + 1, before[at]! + (one === other ? 0 : 1))
    before = now
  }
  return before[b.length]! / a.length
}

function plain(text: string): string[] {
  const same = text
    .normalize("NFKC")
    .replace(/[‘’‚`´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[‐‑–—]/g, "-")
    .replace(/\s+/g, " ")
    // In scripts without spaces, full-width punctuation includes the space, so spaces next to it are ignored.
    .replace(/(?<=\p{Script=Han}[,;:.!?)]?) | (?=\p{Script=Han})/gu, "")
  return Array.from(same.trim())
}
