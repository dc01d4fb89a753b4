import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"

import { buildFaces, BUILT, type Manifest } from "./build-faces.ts"
import { FACES } from "./faces.ts"

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest

describe("the built faces", () => {
  const { pages, sizes } = manifestOf(BUILT)

  test.each(FACES)(
    "$name needs at most $mostKilobytes kB of compressed script",
    ({ name, mostKilobytes }) => {
      const scripts = Object.entries(sizes).filter(
        ([file]) => file.startsWith(`${name}-`) && file.endsWith(".js"),
      )
      expect(scripts).toHaveLength(1)
      const [file, bytes] = scripts[0]!
      expect(bytes).toBeLessThanOrEqual(mostKilobytes * 1000)
      expect(brotliDecompressSync(readFileSync(join(BUILT, `${file}.br`))).toString()).toBe(
        readFileSync(join(BUILT, file), "utf8"),
      )
    },
  )

  test.each(Object.entries(pages))(
    "the page of %s loads only existing files, by relative addresses",
    (_, page) => {
      const html = readFileSync(join(BUILT, page), "utf8")
      const loaded = [...html.matchAll(/(?:src|href)="(faces\/[^"]+)"/g)].map(([, path = ""]) => path)
      expect(loaded.length).toBeGreaterThanOrEqual(3)
      for (const path of loaded) expect(existsSync(join(BUILT, path.slice("faces/".length)))).toBe(true)
      expect(html).not.toMatch(/(?:src|href)="(?:\/|https?:)/)
      expect(html).not.toMatch(/<style|<script[^>]*>[^<]/)
    },
  )
})

test("a build runs once for the same sources, and replaces the previous one as a whole", async () => {
  const dir = mkdtempSync(join(tmpdir(), "fossick-faces-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const folder = join(dir, "dist")
  // Two builds at once, as if by two processes: each is complete, and the last one remains.
  expect((await Promise.all([buildFaces(folder), buildFaces(folder)])).includes(true)).toBe(true)
  expect(await buildFaces(folder)).toBe(false)
  const files = readdirSync(folder).sort()
  expect(files).toEqual(readdirSync(BUILT).sort())
  rmSync(join(folder, "manifest.json"))
  expect(await buildFaces(folder)).toBe(true)
  expect(readdirSync(folder).sort()).toEqual(files)
  expect(readdirSync(dir)).toEqual(["dist"])
})
