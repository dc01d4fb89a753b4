import { assert, asyncProperty, integer, nat } from "fast-check"
import { expect, test } from "vitest"
import type { PageWithVectors } from "../../../engine.ts"
import { pageId } from "../../../index/page/page-url.ts"
import { aPage, rareWord } from "../../../testing/pages.ts"
import { ExportFileError } from "./export-file-error.ts"
import { MARK } from "./export-format.ts"
import { ExportReader } from "./read-export.ts"
import { smallExport } from "../testing/small-export.ts"

const vectorOf = (i: number) =>
  Float32Array.from({ length: 64 }, (_, at) => Math.fround(Math.cos(i * 64 + at)))

const pages: readonly PageWithVectors[] = Array.from({ length: 9 }, (_, i) => ({
  page: aPage(`small/${i}`, { title: `Page ${i}`, markdown: rareWord(i) }),
  vectors: i === 4 ? null : [vectorOf(i)],
})).toSorted((a, b) => (pageId(a.page.url) < pageId(b.page.url) ? -1 : 1))

const frames = [pages.slice(0, 4), pages.slice(4, 5), pages.slice(5)]
const parts = smallExport(frames)
const whole = Buffer.concat(parts)

/** Splits the file into chunks, like those from a socket or a disk. */
async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(bytes: Buffer, size = 1000): Promise<{ got: PageWithVectors[]; error: unknown }> {
  const got: PageWithVectors[] = []
  try {
    const reader = await ExportReader.open(inChunks(bytes, size), "the file")
    for await (const some of reader.pages()) got.push(...some.map(({ page, vectors }) => ({ page, vectors })))
    return { got, error: null }
  } catch (error) {
    return { got, error }
  }
}

async function check(bytes: Buffer): Promise<unknown> {
  try {
    await (await ExportReader.open(inChunks(bytes, 1000), "the file")).check()
    return null
  } catch (error) {
    return error
  }
}

/** The results of checking and of reading a file; the pages that were read must be intact in any case. */
async function refusal(bytes: Buffer) {
  const { got, error } = await read(bytes)
  const { code, at, message } = error as ExportFileError
  const isRefused = error instanceof ExportFileError
  return {
    refused: { isRefused, alike: ((await check(bytes)) as Error | null)?.message === message, got },
    sound: { isRefused: true, alike: true, got: pages.slice(0, got.length) },
    code,
    at,
    message,
  }
}

test("a valid export is read as written, in chunks of any size", async () => {
  for (const size of [1, 7, 4096, whole.length])
    expect(await read(whole, size)).toEqual({ got: pages, error: null })
})

test("a changed byte anywhere is detected", async () => {
  await assert(
    asyncProperty(nat(whole.length - 1), integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Buffer.from(whole)
      changed[at] = changed[at]! ^ flip
      const found = await refusal(changed)
      expect(found.refused).toEqual(found.sound)
      // The place to report: the frame that contains the byte.
      expect(found.at).toBe(at < MARK.length ? 0 : frameStart(at))
    }),
    { numRuns: 300 },
  )
  expect(await check(whole)).toBeNull()
})

test("a truncation anywhere is detected", async () => {
  await assert(
    asyncProperty(nat(whole.length - 1), async (length) => {
      const found = await refusal(whole.subarray(0, length))
      expect(found.refused).toEqual(found.sound)
      expect(found.code).toBe("TRUNCATED")
    }),
    { numRuns: 200 },
  )
  expect(await check(whole)).toBeNull()
})

test("a frame that is lost, duplicated, moved or from another export is detected", async () => {
  const [mark, head, first, second, third, tail] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
  const other = smallExport(frames, { embedder: "another-64" })
  const wrong = {
    lost: [mark, head, first, third, tail],
    "all lost": [mark, head, tail],
    doubled: [mark, head, first, first, second, third, tail],
    moved: [mark, head, second, first, third, tail],
    foreign: [mark, head, first, other[3]!, third, tail],
    "foreign end": [mark, head, first, second, third, other[5]!],
    "with a second header": [mark, head, head, first, second, third, tail],
    "with something behind": [mark, head, first, second, third, tail, Buffer.from("x")],
    "with another export behind": [...parts, ...parts],
    "without a header": [mark, first, second, third, tail],
  }
  for (const [how, wrongFrames] of Object.entries(wrong)) {
    const { refused, sound, code, message } = await refusal(Buffer.concat(wrongFrames))
    expect({ how, ...refused }).toEqual({ how, ...sound })
    expect(code).toBe("DAMAGED")
    expect(message).toMatch(/^the file .*byte \d+/)
  }
})

test("pages out of order are rejected, even with correct hashes", async () => {
  const { got, error } = await read(Buffer.concat(smallExport([pages.slice(0, 2), [pages[3]!, pages[2]!]])))
  expect(got).toEqual(pages.slice(0, 2))
  expect(error).toMatchObject({ code: "DAMAGED", message: expect.stringContaining("out of order") as string })
})

test("other files are rejected with what they are", async () => {
  const of = async (text: string | Buffer) => await refusal(Buffer.from(text))
  expect(await of("PK\u0003\u0004 something long enough")).toMatchObject({ code: "NOT_AN_EXPORT" })
  expect(await of("")).toMatchObject({ code: "TRUNCATED" })
  expect(await of("fossick-ind")).toMatchObject({ code: "TRUNCATED" })
  const newer = await of("fossick-index 2\nof which nothing is known")
  expect(newer).toMatchObject({ code: "FORMAT_TOO_NEW" })
  expect(newer.message).toContain("Upgrade")
  const banner = await of(Buffer.concat([Buffer.from("\n> fossick@0.1.0 export\n> node …\n\n"), whole]))
  expect(banner).toMatchObject({ code: "NOT_AN_EXPORT" })
  expect(banner.message).toContain("npx fossick")
})

/** The start of the frame that contains a byte. */
function frameStart(at: number): number {
  let start = 0
  for (const part of parts) {
    if (at < start + part.length) return start
    start += part.length
  }
  return start
}

test.each([
  ["a title that is none", { title: 5 }],
  ["no text", { markdown: undefined }],
  ["no source", { source: null }],
])("a page with %s is reported in one line, even with a correct hash", async (_, wrong) => {
  const page = { ...aPage("small/odd"), ...wrong } as never
  const odd = smallExport([[{ page, vectors: [vectorOf(1)] }]])
  const { error } = await read(Buffer.concat(odd))
  expect(error).toBeInstanceOf(ExportFileError)
  expect((error as Error).message).toMatch(/^the file is damaged in frame 1, at byte \d+: a page has no \w+/)
})

test("an incomplete header is reported in one line", async () => {
  const none = smallExport([], { dimensions: null as never })
  expect(await read(Buffer.concat(none))).toMatchObject({
    error: { code: "DAMAGED", message: expect.stringContaining("it has no dimensions") },
  })
})
