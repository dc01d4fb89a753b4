import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { breather } from "#base/flow/breather.ts"
import type { Engine } from "../../../engine.ts"
import {
  type ExportHeader,
  FRAME_BYTES,
  FRAME_PAGES,
  type FrameKind,
  MARK,
  MAX_FRAME_BYTES,
  packFrame,
} from "./export-format.ts"
import { fossickVersion } from "#base/fossick-version.ts"
import { CommandError } from "#base/run-command.ts"
import { packPage } from "./exported-page.ts"
import { RunningTotals } from "../totals.ts"

const compress = promisify(zstdCompress)

/** The point where an interrupted export continues. */
export interface ExportPosition {
  /** Number of intact frames, including the header, and the hash of the last one. */
  readonly frames: number
  readonly hash: Buffer
  /** Id of the last page in these frames; empty if there is none. */
  readonly lastId: string
  readonly totals: RunningTotals
}

/** Bytes to append to the previous ones, and the number of pages written with them. */
export interface ExportPart {
  readonly bytes: Buffer
  readonly pages: number
}

/**
 * Exports an index (export-format.ts), part by part; each part is one or more whole frames. Keeps at most two frames in
 * memory. Each page is exported in its state at the time it is read.
 *
 * @throws CommandError when this index was replaced by an index made with another model in the meantime
 */
export async function* writeExport(
  engine: Engine,
  { from, signal }: { from?: ExportPosition | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<ExportPart> {
  const totals = from?.totals ?? new RunningTotals()
  let number = from?.frames ?? 0
  let hash: Buffer = from?.hash ?? MARK
  const frame = async (kind: FrameKind, content: Buffer, pages: number) => {
    const packed = packFrame(
      { kind, number, pages, contentBytes: content.length },
      await compress(content),
      hash,
    )
    hash = packed.hash
    number++
    return packed.bytes
  }
  const { embedder, dimensions } = await engine.stats()
  if (!from) {
    const createdAt = new Date().toISOString()
    const header: ExportHeader = { fossick: fossickVersion(), embedder, dimensions, createdAt }
    yield { bytes: Buffer.concat([MARK, await frame("HEAD", json(header), 0)]), pages: 0 }
  }
  let records: Buffer[] = []
  let bytes = 0
  let lastId = from?.lastId ?? ""
  const flush = async (): Promise<ExportPart> => {
    const part = { bytes: await frame("PAGE", Buffer.concat(records), records.length), pages: totals.pages }
    records = []
    bytes = 0
    return part
  }
  const breathe = breather()
  for await (const one of engine.allPages({ after: lastId, ...(signal && { signal }) })) {
    const { exported, record } = packPage(one)
    if (exported.id <= lastId) throw new Error(`${exported.page.url} came out of the index out of order`)
    if (bytes > 0 && bytes + record.length > MAX_FRAME_BYTES) yield await flush()
    totals.add(exported)
    lastId = exported.id
    records.push(record)
    bytes += record.length
    if (bytes >= FRAME_BYTES || records.length >= FRAME_PAGES) yield await flush()
    await breathe()
  }
  if (records.length > 0) yield await flush()
  if ((await engine.stats()).embedder !== embedder) {
    throw new CommandError("The index was replaced by one with another model in the meantime. Export again.")
  }
  yield { bytes: await frame("TAIL", json(totals.totals()), 0), pages: totals.pages }
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
