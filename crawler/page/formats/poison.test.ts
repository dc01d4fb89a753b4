import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ReaderPool } from "../pool/reader-pool.ts"
import { startProcess } from "../pool/reader-process.ts"
import { docx, epub, openDocument, wordParagraph, xlsx } from "../../testing/documents.ts"
import { interlacedPicture } from "../../testing/pictures.ts"
import { inflatingZip, poisonPdfs } from "../../testing/poison.ts"
import type { DocumentFormat } from "./document-format.ts"

// Small files that need a lot of memory to read, in a process with little memory: reading each of them stays within its
// limit, yields no more text than a book, and does not affect the next file.

const MEMORY_MB = 200
const POISON_MB = 160
/** The memory that a process can allocate between its own checks, on a busy machine. */
const BETWEEN_LOOKS_MB = 80
const MAX_CHARS = 6_000_000
/** The system records each process's peak; for a process that ends between checks, the value from the last check is used. */
const LOOK_MS = 20

let pool: ReaderPool
beforeAll(() => {
  pool = new ReaderPool({ places: 1, timeoutMs: 30_000, memoryMb: MEMORY_MB, start: startProcess })
})
afterAll(() => pool[Symbol.asyncDispose]())

const read = (format: DocumentFormat, body: Uint8Array) =>
  pool.read({ url: `https://x.example/a.${format}`, kind: "document", format, budgetMs: 20_000, body })

/** The highest peak memory, in megabytes, of any child process during the work; 0 where the system does not report it. */
async function peakDuring<T>(work: Promise<T>): Promise<{ result: T; peakMb: number }> {
  let peakMb = 0
  const look = setInterval(() => {
    for (const pid of children()) peakMb = Math.max(peakMb, peakOf(pid))
  }, LOOK_MS)
  const result = await work
  clearInterval(look)
  return { result, peakMb }
}

function children(): string[] {
  try {
    return readdirSync("/proc/self/task").flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    )
  } catch {
    return []
  }
}

function peakOf(pid: string): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const healthy = () => new Uint8Array(Buffer.from(String.raw`{\rtf1 A healthy page of plain words.}`))

async function isHarmless(format: DocumentFormat, body: Uint8Array): Promise<string> {
  expect(body.length).toBeLessThan(3_000_000)
  const { result, peakMb } = await peakDuring(read(format, body))
  expect(peakMb).toBeLessThan(MEMORY_MB + BETWEEN_LOOKS_MB)
  const chars = result.kind === "read" ? result.extracted.markdown.length : 0
  expect(chars).toBeLessThan(MAX_CHARS)
  expect(await read("rtf", healthy())).toMatchObject({
    kind: "read",
    extracted: { markdown: expect.stringContaining("A healthy page") },
  })
  return result.kind
}

describe("a PDF", () => {
  test.each(Object.entries(poisonPdfs(POISON_MB)))("is harmless when its page is %s", async (_, make) => {
    expect(await isHarmless("pdf", make())).toBe("too-large")
  })
})

describe("a malicious archive", () => {
  test("is unsupported when it inflates enormously, whatever format it claims", async () => {
    const body = inflatingZip("word/document.xml", " ", POISON_MB)
    for (const format of ["docx", "xlsx", "ods", "epub"] as const)
      expect(await isHarmless(format, Uint8Array.from(body))).toBe("unsupported")
  })

  const declared = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
  test.each<[what: string, format: DocumentFormat, make: () => Uint8Array]>([
    ["a million paragraphs", "docx", () => docx(wordParagraph("words").repeat(200_000))],
    ["an entity of entities", "docx", () => docx(`${declared}${wordParagraph("&b;".repeat(1000))}`)],
    [
      "one cell repeated a million times",
      "ods",
      () =>
        openDocument(
          "spreadsheet",
          `<table:table table:name="a"><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000" office:value-type="string"><text:p>${"word ".repeat(2000)}</text:p></table:table-cell></table:table-row></table:table>`,
        ),
    ],
    [
      "one long text in many cells",
      "xlsx",
      () =>
        xlsx({ Sheet1: Array.from({ length: 2000 }, () => Array<string>(20).fill("word ".repeat(4000))) }),
    ],
    ["one chapter of many boxes", "epub", () => epub(["<blockquote>".repeat(300) + "<p>x".repeat(100_000)])],
  ])("is harmless with %s", async (_, format, make) => {
    expect(["read", "unsupported", "unreadable", "too-large"]).toContain(await isHarmless(format, make()))
  })
})

describe("an RTF file", () => {
  test.each([
    ["groups", "{".repeat(300_000)],
    ["repeated words", "word ".repeat(300_000)],
    ["binary data that is not there", String.raw`\bin2000000000 `.repeat(10)],
    ["numbers of characters", String.raw`\u8364?`.repeat(200_000)],
  ])("is harmless with many %s", async (_, text) => {
    const kind = await isHarmless("rtf", new Uint8Array(Buffer.from(`{\\rtf1 ${text}}`)))
    expect(["read", "unsupported", "unreadable", "too-large", "timeout"]).toContain(kind)
  })
})

test("an image that claims billions of pixels is not decoded", async () => {
  const claimed = interlacedPicture(90_000, { depth: 16, colour: "rgba", claims: true })
  expect(await isHarmless("picture", new Uint8Array(claimed))).toBe("unsupported")
})
