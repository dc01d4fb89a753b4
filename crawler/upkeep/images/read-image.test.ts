import sharp from "sharp"
import { describe, expect, test } from "vitest"
import { flatPicture, interlacedPicture, picture } from "../../testing/pictures.ts"
import { startTestSite } from "../../testing/test-site.ts"
import { hammingDistance } from "./perceptual-hash.ts"
import { readImage } from "./read-image.ts"

const look = async (body: Uint8Array) => (await readImage(body)).look

describe("an image", () => {
  test("is measured in every web format", async () => {
    const png = await picture(1, { width: 400, height: 300 })
    for (const format of ["jpeg", "png", "webp", "avif", "gif"] as const) {
      const body = await sharp(png).toFormat(format, { effort: 1 }).toBuffer()
      expect(await look(body)).toMatchObject({
        width: 400,
        height: 300,
        format,
        bytes: body.length,
        frames: 1,
        junk: null,
      })
    }
  })

  test("is rotated according to its EXIF orientation", async () => {
    const body = await sharp(await picture(1, { width: 400, height: 300 }))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect(await look(body)).toMatchObject({ width: 300, height: 400 })
  })

  test("is scaled down, and never up", async () => {
    const size = async (body: Uint8Array) => {
      const { format, width, height } = await sharp((await readImage(body)).thumbnail).metadata()
      return { format, width, height }
    }
    expect(await size(await picture(1, { width: 1600, height: 800 }))).toEqual({
      format: "webp",
      width: 320,
      height: 160,
    })
    expect(await size(await picture(1, { width: 120, height: 90 }))).toMatchObject({ width: 120, height: 90 })
  })

  test("shows its first frame when it is animated", async () => {
    const frames = await Promise.all([1, 2, 3].map((seed) => picture(seed, { width: 100, height: 80 })))
    const body = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    const seen = await look(body)
    expect(seen).toMatchObject({ width: 100, height: 80, frames: 3 })
    expect(hammingDistance(seen.hash, (await look(frames[0]!)).hash)).toBeLessThanOrEqual(7)
  })

  test("runs no scripts and fetches nothing when it is an SVG", async () => {
    await using site = await startTestSite({})
    const inside = `<script>fetch("${site.origin}/script")</script><image href="${site.origin}/image.png" width="9" height="9"/>`
    const body = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">${inside}<circle cx="90" cy="90" r="60"/></svg>`,
    )
    expect(await look(body)).toMatchObject({ width: 300, height: 200, format: "svg", junk: null })
    expect(site.requests).toEqual([])
  })
})

describe("junk images", () => {
  test.each([
    ["tracker", flatPicture(1, 1)],
    ["icon", picture(1, { width: 48, height: 48 })],
    ["icon", picture(1, { width: 88, height: 31 })],
    ["flat", flatPicture(400, 300)],
    ["strip", picture(1, { width: 728, height: 90 })],
    ["strip", picture(1, { width: 60, height: 900 })],
  ] as const)("%s", async (junk, body) => {
    expect((await look(await body)).junk).toBe(junk)
  })

  test("do not include a thin line drawing on white", async () => {
    const body = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="white"/><path d="M20 380 L580 20" stroke="black"/></svg>',
    )
    expect((await look(body)).junk).toBeNull()
  })
})

test.each([
  ["text", Buffer.from("<html>no image</html>")],
  ["a kind of file that no browser shows", Buffer.from("P6\n2 2\n255\nabcdefghijkl")],
  ["a picture cut short", picture(1).then((body) => body.subarray(0, body.length / 2))],
  [
    "a small file that claims to be huge",
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"><rect/></svg>'),
  ],
])("%s is rejected", async (_, body) => {
  await expect(readImage(await body)).rejects.toThrow(/\S/)
})

test("an image that would take much memory to decode is rejected by its header", async () => {
  const body = (side: number) => interlacedPicture(side, { depth: 16, colour: "rgba", claims: true })
  await expect(readImage(body(9000))).rejects.toThrow("decoding it takes more than 512 MB of memory")
  // A smaller image of the same kind is not rejected, since it needs less memory.
  await expect(readImage(body(100))).rejects.not.toThrow("512 MB")
  expect(await look(interlacedPicture(500, { depth: 8, colour: "grey" }))).toMatchObject({ junk: "flat" })
})

test("copies have similar hashes, and different images do not", async () => {
  const pictures = await Promise.all([1, 2, 3, 4, 5].map((seed) => picture(seed)))
  const hashes = await Promise.all(pictures.map(async (body) => (await look(body)).hash))
  for (const [index, body] of pictures.entries()) {
    const copies = [
      await sharp(body).resize(320).jpeg({ quality: 50 }).toBuffer(),
      await sharp(body).resize(1000).webp({ quality: 60 }).toBuffer(),
      await sharp(body).resize(200).gif().toBuffer(),
    ]
    for (const copy of copies)
      expect(hammingDistance(hashes[index]!, (await look(copy)).hash)).toBeLessThanOrEqual(7)
    for (const other of hashes.slice(index + 1))
      expect(hammingDistance(hashes[index]!, other)).toBeGreaterThan(14)
  }
})
