import type { FileHandle } from "node:fs/promises"

/** Maximum number of bytes read from a message: few mail servers accept larger messages, and parsing plain text needs fifty times its size in memory. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** A message in an mbox. */
export interface MboxMessage {
  /** Offset of the message's `From …` line. */
  readonly at: number
  /** Length in bytes of the message, including its `From …` line and the empty line after the message. */
  readonly length: number
  /** The first {@link MAX_MESSAGE_BYTES} bytes of the message. */
  readonly raw: Buffer
}

const CHUNK_BYTES = 1024 * 1024
const MARK = Buffer.from("\nFrom ")
/** Number of bytes needed for the `From …` line and the beginning of the next line. */
const LOOK_AHEAD = 1200
const LINE = /^From [^\n]*\n/
const MONTH = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/
const TIME = /\b\d?\d:\d\d/
const YEAR = /\b\d{4}\b/
const HEADER = /^(?:[!-9;-~]+[ \t]*:|>From )/

/**
 * The messages of an mbox, one at a time, however large the file is. A message begins at a line that starts with `From
 * ` and contains a month, a time and a year, followed by a header. Some programs don't quote lines in texts that begin
 * with `From ` (RFC 4155, mboxcl), but such lines rarely meet both conditions. The last message is left out until its
 * header is complete, since a program may still be writing it.
 * @param from offset of a message
 * @param to where to stop, such as the size of the file when it was checked
 */
export async function* mboxMessages(file: FileHandle, from: number, to: number): AsyncGenerator<MboxMessage> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const message = new Growing()
  let buffer: Buffer = Buffer.alloc(0)
  /** Offset of the buffer in the file. */
  let base = from
  for (let isEnd = false; !isEnd;) {
    const wanted = Math.min(CHUNK_BYTES, to - base - buffer.length)
    const { bytesRead } = await file.read(chunk, 0, wanted, base + buffer.length)
    isEnd = bytesRead === 0
    buffer = Buffer.concat([buffer, chunk.subarray(0, bytesRead)])
    let done = 0
    let keptFrom = isEnd ? buffer.length : Math.max(0, buffer.length - MARK.length)
    for (let mark = next(buffer, 0, base === from); mark !== -1; mark = next(buffer, mark, false)) {
      if (!isEnd && buffer.length - mark < LOOK_AHEAD) {
        keptFrom = Math.max(0, mark - 1)
        break
      }
      if (!beginsMessage(buffer.toString("latin1", mark, mark + LOOK_AHEAD))) continue
      message.add(buffer.subarray(done, mark))
      if (message.length > 0) yield message.take()
      message.at = base + mark
      done = mark
    }
    keptFrom = Math.max(keptFrom, done)
    message.add(buffer.subarray(done, keptFrom))
    buffer = buffer.subarray(keptFrom)
    base += keptFrom
  }
  const last = message.take()
  if (/\n\r?\n/.test(last.raw.toString("latin1", 0, 1_000_000))) yield last
}

/** Offset of the next line that may begin a message; -1 if there is none. */
function next(buffer: Buffer, after: number, isStart: boolean): number {
  if (isStart && buffer.subarray(0, MARK.length - 1).equals(MARK.subarray(1))) return 0
  const found = buffer.indexOf(MARK, after)
  return found === -1 ? -1 : found + 1
}

function beginsMessage(text: string): boolean {
  const line = LINE.exec(text)?.[0]
  return (
    line !== undefined &&
    [MONTH, TIME, YEAR].every((part) => part.test(line)) &&
    HEADER.test(text.slice(line.length))
  )
}

/** Collects the message being read. Bytes before the first message are ignored. */
class Growing {
  at = -1
  length = 0
  #parts: Buffer[] = []
  #kept = 0

  add(part: Buffer): void {
    if (this.at === -1) return
    this.length += part.length
    const kept = part.subarray(0, MAX_MESSAGE_BYTES - this.#kept)
    if (kept.length === 0) return
    this.#parts.push(Buffer.from(kept))
    this.#kept += kept.length
  }

  take(): MboxMessage {
    const { at, length } = this
    const raw = Buffer.concat(this.#parts)
    this.#parts = []
    this.#kept = 0
    this.length = 0
    return { at, length, raw }
  }
}

/** A message without its `From …` line, if it has one, and with quoted `>From ` lines restored (mboxrd). */
export function unquoted(raw: Buffer): Buffer {
  if (!raw.subarray(0, 5).equals(MARK.subarray(1))) return raw
  const body = raw.subarray(raw.indexOf("\n") + 1)
  if (body.indexOf("\n>") === -1) return body
  return Buffer.from(body.toString("latin1").replaceAll(/^>(>*From )/gm, "$1"), "latin1")
}
