import { createReadStream } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import path from "node:path"
import type { Engine } from "../../engine.ts"
import { CommandError } from "#base/run-command.ts"
import { ExportFileError } from "./format/export-file-error.ts"
import { ExportReader } from "./format/read-export.ts"
import { type ExportPosition, writeExport } from "./format/write-export.ts"

export interface ExportToFileOptions {
  readonly signal?: AbortSignal
  /** Called once, before the first page is written, if an interrupted export is continued, with the number of pages it had written and the time it began. */
  readonly onResume?: (found: { readonly pages: number; readonly begunAt: string }) => void
  /** Called with the number of pages and bytes in the file. */
  readonly onProgress?: (pages: number, bytes: number) => void
}

/** An interrupted export, up to its last intact frame. */
interface Begun extends ExportPosition {
  readonly bytes: number
  readonly begunAt: string
  readonly isWhole: boolean
}

/** The name under which an export is written until it is complete. */
export const partOf = (file: string): string => `${file}.part`

/**
 * Exports an index to a file. It is written under its {@link partOf} name, and renamed once it is complete and on disk.
 * If an interrupted export left behind such a part, the export continues after the last intact frame. The whole file is
 * read back before it gets its final name.
 *
 * @returns the size of the file in bytes
 * @throws CommandError, ExportFileError when another process is writing to it
 */
export async function exportToFile(
  engine: Engine,
  file: string,
  { signal, onResume, onProgress }: ExportToFileOptions = {},
): Promise<number> {
  const part = partOf(file)
  const begun = await whatIsThere(part, engine)
  if (begun) onResume?.({ pages: begun.totals.pages, begunAt: begun.begunAt })
  const handle = await open(part, begun ? "r+" : "wx", 0o600)
  let bytes = begun?.bytes ?? 0
  try {
    if (begun?.isWhole) {
      bytes = (await handle.stat()).size
    } else {
      await handle.truncate(bytes)
      for await (const { bytes: more, pages } of writeExport(engine, { from: begun ?? undefined, signal })) {
        await refuseOtherWriter(handle, part, bytes)
        bytes += await writeAt(handle, more, bytes)
        onProgress?.(pages, bytes)
        signal?.throwIfAborted()
      }
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  // Checks the file on disk, even if another process has written to it.
  await (await ExportReader.open(createReadStream(part), part)).check()
  await rename(part, file)
  await syncFolder(path.dirname(file))
  return bytes
}

/** Makes sure that the names in a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function whatIsThere(part: string, engine: Engine): Promise<Begun | null> {
  let reader: ExportReader
  try {
    reader = await ExportReader.open(createReadStream(part), part)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    if (!(error instanceof ExportFileError)) throw error
    if (error.code === "NOT_AN_EXPORT" || error.code === "FORMAT_TOO_NEW") {
      throw new CommandError(`${part} is in the way: ${error.message} Move it, or choose another name.`)
    }
    await rm(part)
    return null
  }
  const { embedder, dimensions } = await engine.stats()
  if (reader.header.embedder !== embedder || reader.header.dimensions !== dimensions) {
    await rm(part)
    return null
  }
  let lastId = ""
  let isWhole = false
  try {
    for await (const pages of reader.pages()) lastId = pages.at(-1)?.id ?? lastId
    isWhole = true
  } catch (error) {
    // The frame that was being written when the export was interrupted; everything before it is intact.
    if (!(error instanceof ExportFileError)) throw error
  }
  const { frames, hash, bytes } = reader.sound
  const { createdAt: begunAt } = reader.header
  return { frames, hash, lastId, totals: reader.read, bytes, begunAt, isWhole }
}

async function refuseOtherWriter(handle: FileHandle, part: string, bytes: number): Promise<void> {
  const { size } = await handle.stat()
  if (size !== bytes) throw new CommandError(`Another process is writing to ${part}; choose another name.`)
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let at = 0; at < bytes.length;) {
    at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten
  }
  return bytes.length
}
