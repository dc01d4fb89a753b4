import { hash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { replaceFile } from "#base/store/replace-file.ts"
import type { PageUrl } from "#engine"
import { findRecognition, installCommand, namesIn, type Recognition, recognitionFolder } from "./installed.ts"
import { pageLine, type RecognisedPage } from "./recognised-page.ts"

/** The maximum total size of waiting files, in bytes; a file that doesn't fit is offered again at its next visit. */
const MAX_WAITING_BYTES = 2_000_000_000

/** A file with pages that are pictures of text. */
export interface Scan {
  /** SHA-256 of the file's bytes. */
  readonly hash: string
  /** Numbers, from 1, of the pages to recognise. */
  readonly pages: readonly number[]
}

/** An indexed page that the text belongs to. */
export interface Wanted {
  readonly url: PageUrl
  readonly source: string
}

/** A scan that is waiting for text recognition. */
export interface WaitingScan extends Scan {
  readonly wanted: readonly Wanted[]
}

/**
 * Files that are waiting for text recognition, and the text that was recognised, keyed by the hash of the files' bytes:
 * in `scans/` in the data folder. Crawls add files, and a low-priority process recognises their text. Files are written
 * completely or not at all, so either process can end at any time.
 */
export class ScanShelf {
  readonly #waiting: string
  readonly #texts: string
  readonly #runs: string
  readonly #dataDir: string
  /** The installed packages; null if text recognition is not installed. */
  readonly recognition: Recognition | null

  constructor(dataDir: string, recognition = findRecognition(recognitionFolder(dataDir))) {
    this.#dataDir = dataDir
    this.recognition = recognition
    this.#waiting = join(dataDir, "scans", "waiting")
    this.#texts = join(dataDir, "scans", "text")
    this.#runs = join(dataDir, "scans", "runs")
  }

  /** The command that installs text recognition. */
  get install(): string {
    return installCommand(this.#dataDir)
  }

  /** The path of the file for the text recognised from these bytes; `readRecognised` reads it. */
  textFile(ofHash: string): string {
    return join(this.#texts, `${ofHash}.jsonl`)
  }

  /** Puts a file on the shelf. @returns false when there is no room for it */
  async put(scan: Scan, wanted: Wanted, body: Uint8Array): Promise<boolean> {
    mkdirSync(this.#waiting, { recursive: true })
    const bytes = this.#file(scan.hash, "body")
    if (!existsSync(bytes)) {
      if (this.#waitingBytes() + body.byteLength > MAX_WAITING_BYTES) return false
      await replaceFile(bytes, [body])
    }
    const before = this.waiting(scan.hash)?.wanted ?? []
    const others = before.filter(({ url, source }) => url !== wanted.url || source !== wanted.source)
    const waiting: WaitingScan = { ...scan, wanted: [...others, wanted] }
    await replaceFile(this.#file(scan.hash, "json"), JSON.stringify(waiting))
    return true
  }

  /** The hashes of all waiting files. */
  allWaiting(): readonly string[] {
    return namesIn(this.#waiting).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? [])
  }

  waiting(ofHash: string): WaitingScan | null {
    const file = this.#file(ofHash, "json")
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as WaitingScan) : null
  }

  body(ofHash: string): Uint8Array {
    return readFileSync(this.#file(ofHash, "body"))
  }

  /** Counts an attempt at a page before it starts, so that a page that kills its process is detected. @returns the number of earlier attempts */
  async countTry(ofHash: string, page: number): Promise<number> {
    const file = this.#file(ofHash, "tries")
    const [of, tries] = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as [number, number])
      : [0, 0]
    const before = of === page ? tries : 0
    await replaceFile(file, JSON.stringify([page, before + 1]))
    return before
  }

  /** Stores the text of a page. */
  async keep(ofHash: string, page: RecognisedPage): Promise<void> {
    mkdirSync(this.#texts, { recursive: true })
    await appendFile(this.textFile(ofHash), pageLine(page))
  }

  /** Removes a file from the shelf; the text recognised from it is kept. */
  take(ofHash: string): void {
    for (const part of ["json", "body", "tries"]) rmSync(this.#file(ofHash, part), { force: true })
  }

  /** Requests a run of a source; the run starts as soon as possible. */
  askForRun(source: string): void {
    mkdirSync(this.#runs, { recursive: true })
    const file = join(this.#runs, encodeURIComponent(source))
    if (!existsSync(file)) writeFileSync(file, "")
  }

  /** The sources for which a run was requested, with the time of the request, in milliseconds since 1970. */
  askedRuns(): readonly { readonly source: string; readonly since: number }[] {
    return namesIn(this.#runs).map((name) => ({
      source: decodeURIComponent(name),
      since: statSync(join(this.#runs, name)).mtimeMs,
    }))
  }

  /** Forgets that a run was requested, since the source is running. */
  ran(source: string): void {
    rmSync(join(this.#runs, encodeURIComponent(source)), { force: true })
  }

  #file(ofHash: string, part: string): string {
    return join(this.#waiting, `${ofHash}.${part}`)
  }

  #waitingBytes(): number {
    const bodies = namesIn(this.#waiting).filter((name) => name.endsWith(".body"))
    return bodies.reduce((sum, name) => sum + statSync(join(this.#waiting, name)).size, 0)
  }
}

/** The hash that identifies a file, regardless of its address. */
export const scanHash = (body: Uint8Array): string => hash("sha256", body, "hex")
