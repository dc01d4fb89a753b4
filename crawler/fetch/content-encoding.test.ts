import { spawn } from "node:child_process"
import { json } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib"
import { expect, test } from "vitest"
import { type QueuedAccount, QueuedBudget } from "#base/flow/memory/queued-budget.ts"
import { decompress } from "./content-encoding.ts"

const MB = 1 << 20

test("a body never takes more than a few times its size limit in memory, however it is compressed", async () => {
  const long = Buffer.alloc(200 * MB, "words ")
  const gzip = gzipSync(long, { level: 1 })
  const bodies: [header: string, body: Uint8Array][] = [
    ["gzip", gzip],
    ["deflate", deflateSync(long, { level: 1 })],
    ["deflate", deflateRawSync(long, { level: 1 })],
    ["br", brotliCompressSync(long, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ["zstd", zstdCompressSync(long)],
    ["gzip, gzip", gzipSync(gzip)],
    ["gzip, zstd", zstdCompressSync(gzip)],
    ["gzip, br", brotliCompressSync(gzip)],
  ]
  const child = spawn(process.execPath, [
    "--max-old-space-size=32",
    fileURLToPath(new URL("../testing/decompress-alone.ts", import.meta.url)),
  ])
  child.stdin.end(
    JSON.stringify(bodies.map(([header, body]) => [header, Buffer.from(body).toString("base64")])),
  )
  const results = (await json(child.stdout)) as { header: string; kind: string; grownMb: number }[]
  expect(results).toHaveLength(bodies.length)
  for (const { header, kind, grownMb } of results) {
    const isSmall = grownMb < 30
    expect({ header, kind, isSmall }).toEqual({ header, kind: "too-large", isSmall: true })
  }
})

/** A Zstandard frame (RFC 8878 §3.1.1) that asks for a window of 2^`log` bytes and contains five bytes, uncompressed. */
const frame = (log: number) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (log - 10) << 3, (5 << 3) | 1, 0, 0]),
    Buffer.from("words"),
  ])

test("a body that needs a larger window than a site may use is rejected", async () => {
  expect(await decompress(frame(27), "zstd", MB)).toMatchObject({
    kind: "bad-encoding",
    detail: expect.stringContaining("zstd"),
  })
  expect(await decompress(frame(23), "zstd", MB)).toMatchObject({
    kind: "body",
    body: new Uint8Array(Buffer.from("words")),
  })
})

const WORDS = Buffer.from("words ".repeat(30_000))
const made: [header: string, body: Uint8Array][] = [
  ["gzip", gzipSync(WORDS)],
  ["X-Gzip", gzipSync(WORDS)],
  ["deflate", deflateSync(WORDS)],
  ["deflate", deflateSync(WORDS, { level: 1 })],
  // Some servers leave out the zlib header.
  ["deflate", deflateRawSync(WORDS)],
  ["br", brotliCompressSync(WORDS)],
  ["zstd", zstdCompressSync(WORDS)],
  ["gzip, br", brotliCompressSync(gzipSync(WORDS))],
  ["identity, gzip,, identity", gzipSync(WORDS)],
  ["identity", WORDS],
  ["", WORDS],
]

test.each(made)("a body sent as %j is decoded, up to its size limit", async (header, sent) => {
  const undone = await decompress(new Uint8Array(sent), header, WORDS.length)
  expect(undone.kind === "body" && Buffer.from(undone.body).equals(WORDS)).toBe(true)
  // An uncompressed body was already measured when it arrived, so the limit does not apply to it.
  const less = await decompress(new Uint8Array(sent), header, WORDS.length - 1)
  expect(less.kind).toBe(sent === WORDS ? "body" : "too-large")
})

test("decompression reserves memory in pieces of 64 KB, since smaller ones take twice as long", async () => {
  for (const [header, sent] of made.filter(([, body]) => body !== WORDS)) {
    const pieces: number[] = []
    const account = { reserve: (bytes: number) => void pieces.push(bytes), release: () => {} }
    await decompress(new Uint8Array(sent), header, WORDS.length, account as unknown as QueuedAccount)
    expect([header, Math.max(...pieces)]).toEqual([header, 65_536])
  }
})

test("a deflate body is recognised with or without its header, whatever it begins with", async () => {
  // Some of these hundred, from 58 on, start with bytes that pass the header check.
  const bare = Array.from({ length: 100 }, (_, n) => deflateRawSync(`${n} words`))
  // Stored uncompressed (RFC 1951 §3.2.4), with a bit set that has no meaning but makes it look like a zlib header.
  const text = WORDS.subarray(0, 300)
  const size = Buffer.from([text.length & 0xff, text.length >> 8])
  const stored = Buffer.concat([
    Buffer.from([0x08]),
    size,
    size.map((byte) => ~byte),
    text,
    Buffer.from([0x01, 0, 0, 0xff, 0xff]),
  ])
  for (const sent of [...bare, stored]) {
    const undone = await decompress(new Uint8Array(sent), "deflate", MB)
    expect([sent.toString("hex", 0, 2), undone.kind]).toEqual([sent.toString("hex", 0, 2), "body"])
  }
})

test("a body without a content-encoding header is left as it is", async () => {
  expect(await decompress(new Uint8Array(WORDS), undefined, 10)).toMatchObject({ kind: "body" })
})

test.each([
  ["compress", WORDS, "the compress body is truncated or corrupt: unknown encoding"],
  ["gzip", WORDS, "the gzip body is truncated or corrupt: "],
  ["gzip", gzipSync(WORDS).subarray(0, -20), "the gzip body is truncated or corrupt: "],
  ["br", gzipSync(WORDS), "the br body is truncated or corrupt: "],
  ["gzip, gzip, gzip", gzipSync(WORDS), "compressed 3 times"],
])("a body sent as %j that is not one is reported as such", async (header, sent, detail) => {
  expect(await decompress(new Uint8Array(sent), header, MB)).toEqual({
    kind: "bad-encoding",
    detail: expect.stringContaining(detail),
  })
})

test("a body's memory is reserved as it is unpacked, and its packed size is released", async () => {
  const budget = new QueuedBudget(4 * MB)
  const account = budget.open()
  const sent = gzipSync(WORDS)
  await account.reserve(sent.length)
  await decompress(new Uint8Array(sent), "gzip", MB, account)
  expect(budget.held).toBe(WORDS.length)
})
