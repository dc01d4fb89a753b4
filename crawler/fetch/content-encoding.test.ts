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
import { decompress } from "./content-encoding.ts"

const MB = 1 << 20
const long = Buffer.alloc(200 * MB, "words ")

test("a body never takes more memory than a few times the size it may have, however it is compressed", async () => {
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

/** A Zstandard frame (RFC 8878 §3.1.1) that asks for a window of 2^`log` bytes and holds five, uncompressed. */
const frame = (log: number) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (log - 10) << 3, (5 << 3) | 1, 0, 0]),
    Buffer.from("words"),
  ])

test("a body that asks for a larger window than a site may ask for is refused", async () => {
  expect(await decompress(frame(27), "zstd", MB)).toMatchObject({
    kind: "bad-encoding",
    detail: expect.stringContaining("zstd"),
  })
  expect(await decompress(frame(23), "zstd", MB)).toMatchObject({
    kind: "body",
    body: new Uint8Array(Buffer.from("words")),
  })
})
