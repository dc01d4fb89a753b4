import { zstdCompressSync } from "node:zlib"
import type { PageWithVectors } from "#engine/engine.ts"
import { type FrameKind, MARK, packFrame } from "../format/export-format.ts"
import { packPage } from "../format/exported-page.ts"
import { RunningTotals } from "../totals.ts"

/** The mark and the frames of an export, each as a separate buffer; a writer would put so few pages into one frame. */
export function smallExport(
  frames: readonly (readonly PageWithVectors[])[],
  { embedder = "hashing-64", dimensions = 64 } = {},
): Buffer[] {
  let hash: Buffer = MARK
  let number = 0
  const frame = (kind: FrameKind, content: Buffer, pages = 0) => {
    const head = { kind, number: number++, pages, contentBytes: content.length }
    const packed = packFrame(head, zstdCompressSync(content), hash)
    hash = packed.hash
    return packed.bytes
  }
  const json = (value: object) => Buffer.from(JSON.stringify(value))
  const totals = new RunningTotals()
  const header = { fossick: "0.1.0", embedder, dimensions, createdAt: "2026-01-02T03:04:05.000Z" }
  const parts = [MARK, frame("HEAD", json(header))]
  for (const pages of frames) {
    const packed = pages.map((page) => packPage(page))
    for (const { exported } of packed) totals.add(exported)
    parts.push(frame("PAGE", Buffer.concat(packed.map(({ record }) => record)), pages.length))
  }
  return [...parts, frame("TAIL", json(totals.totals()))]
}
