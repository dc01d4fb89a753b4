/** Limits for JSON text. */
interface JsonBounds {
  /** Maximum nesting of lists and objects. */
  readonly depth: number
  /** Maximum number of lists, objects and named fields. */
  readonly parts: number
  /** Maximum number of commas, which separate values in lists and objects. */
  readonly values: number
}

/**
 * Answers from model servers, peers and nodes have fewer than ten levels, JSON schemas twenty; the longest list of
 * models offered by a server has 30,000 parts; vectors of 100 texts have 820,000 values at 8,192 dimensions. Text at
 * these limits is parsed in 0.1 to 0.2 s.
 */
const BOUNDS: JsonBounds = { depth: 100, parts: 100_000, values: 1_000_000 }

/** Limits for the servers that hold the index: they return thousands of pages at a time, with their vectors. */
export const INDEX_BOUNDS: JsonBounds = { depth: 100, parts: 1_000_000, values: 20_000_000 }

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Text that was not parsed, and the reason. */
export class ForeignJsonError extends Error {
  override readonly name = "ForeignJsonError"
  /** `syntax`: it is not JSON. */
  readonly kind: "size" | "depth" | "parts" | "syntax"

  /** @param message continues a sentence about the text: "is not JSON" */
  constructor(kind: ForeignJsonError["kind"], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * Parses JSON that someone else wrote. Six megabytes of `[` keep `JSON.parse` busy for seconds, and overflow the stack
 * of code that walks the result. So the text is measured first, which takes 20 ms for 6 MB.
 * @throws ForeignJsonError
 */
export function parseForeign(text: string, bounds?: JsonBounds): unknown {
  measureForeign(text, bounds)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ForeignJsonError("syntax", "is not JSON")
  }
}

/** Like {@link parseForeign}, but returns undefined for text that is not JSON or exceeds the limits. */
export function foreignOrNothing(text: string, bounds?: JsonBounds): unknown {
  try {
    return parseForeign(text, bounds)
  } catch {
    return undefined
  }
}

/**
 * Reads a body as JSON in UTF-8. Closes the body if it stops reading early.
 * @param mostBytes maximum size of the body in bytes
 * @throws ForeignJsonError
 */
export async function readForeign(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<unknown> {
  return parseForeign(await foreignText(body, mostBytes))
}

/** Reads a body as text. @throws ForeignJsonError `size` */
export async function foreignText(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw new ForeignJsonError("size", `has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** @throws ForeignJsonError for text that exceeds the limits, whether or not it is JSON */
export function measureForeign(text: string, bounds = BOUNDS): void {
  let [depth, parts, values] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        parts++
        if (++depth > bounds.depth)
          throw new ForeignJsonError("depth", `is nested more than ${bounds.depth} levels deep`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COLON:
        parts++
        break
      case COMMA:
        values++
        break
    }
    if (parts > bounds.parts)
      throw new ForeignJsonError("parts", `has more than ${bounds.parts} lists, objects and fields`)
    if (values > bounds.values) throw new ForeignJsonError("parts", `has more than ${bounds.values} values`)
  }
}

/** Index where the string that begins at `from` ends; past the end of the text if it never does. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
