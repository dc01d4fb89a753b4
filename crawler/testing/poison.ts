import { constants, crc32, deflateRawSync, deflateSync } from "node:zlib"
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from "fflate"

// Documents of a few kilobytes that expand to hundreds of megabytes when they are read.

const MB = 1 << 20

/** `size` megabytes of spaces, compressed `layers` times. */
function inflating(size: number, layers: number): Buffer {
  let bytes: Buffer = Buffer.alloc(size * MB, " ")
  for (let layer = 0; layer < layers; layer += 1) bytes = deflateSync(bytes, { level: 1 })
  return bytes
}

/** A PDF of one page whose content goes through these filters (ISO 32000-1 §7.4). */
function filteredPdf(filters: readonly string[], content: Uint8Array): Uint8Array<ArrayBuffer> {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>",
    `<< /Length ${content.length} /Filter [${filters.map((name) => `/${name}`).join(" ")}] >>\nstream\n${Buffer.from(content).toString("latin1")}\nendstream`,
  ]
  let file = "%PDF-1.7\n"
  const offsets = objects.map((body, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return new Uint8Array(Buffer.from(file, "latin1"))
}

/** RunLength (ISO 32000-1 §7.4.5): two bytes that expand to 128. */
function runs(size: number): Buffer {
  const bytes = Buffer.alloc((size * MB) / 64, Buffer.from([129, 0x20]))
  bytes[bytes.length - 1] = 128
  return bytes
}

/** LZW (ISO 32000-1 §7.4.4) of spaces: each code stands for a run that is one space longer than the previous run. */
function lzw(size: number): Buffer {
  const out: number[] = []
  let held = 0
  let bits = 0
  const write = (code: number, width: number) => {
    held = (held << width) | code
    bits += width
    while (bits >= 8) {
      bits -= 8
      out.push((held >> bits) & 0xff)
    }
    held &= (1 << bits) - 1
  }
  let written = 0
  while (written < size * MB) {
    let width = 9
    write(256, width)
    // The first code after a table is cleared stands for the byte itself; each further code stands for the entry that
    // is just being created.
    for (let next = 257, length = 1; next < 4094 && written < size * MB; next += 1, length += 1) {
      write(length === 1 ? 0x20 : next, width)
      written += length
      if (next + 2 >= 1 << width && width < 12) width += 1
    }
  }
  write(257, 12)
  if (bits > 0) out.push((held << (8 - bits)) & 0xff)
  return Buffer.from(out)
}

/** PDFs whose content expands to `size` megabytes, by filter. */
export const poisonPdfs = (size: number) => ({
  Flate: () => filteredPdf(["FlateDecode"], inflating(size, 1)),
  "Flate in Flate": () => filteredPdf(["FlateDecode", "FlateDecode"], inflating(size, 2)),
  "Flate in Flate in Flate": () =>
    filteredPdf(["FlateDecode", "FlateDecode", "FlateDecode"], inflating(size, 3)),
  "RunLength in Flate": () => filteredPdf(["FlateDecode", "RunLengthDecode"], deflateSync(runs(size))),
  "LZW in Flate": () => filteredPdf(["FlateDecode", "LZWDecode"], deflateSync(lzw(size))),
  "ASCIIHex in Flate": () =>
    filteredPdf(["FlateDecode", "ASCIIHexDecode"], deflateSync(Buffer.alloc(2 * size * MB, "20"))),
  "ASCII85 in Flate": () =>
    filteredPdf(["FlateDecode", "ASCII85Decode"], deflateSync(Buffer.alloc(size * MB, "z"))),
})

/** An archive entry: texts that are deflated piece by piece (RFC 1951), each repeated as many times as specified. */
class Entry implements ZipInputFile {
  readonly filename: string
  readonly compression = 8
  crc = 0
  size = 0
  declare ondata: AsyncFlateStreamHandler

  constructor(filename: string) {
    this.filename = filename
  }

  push(text: string | Buffer, times = 1): void {
    const bytes = Buffer.from(text)
    // The compressed data has no end marker, so that it can be repeated.
    const deflated = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_FULL_FLUSH })
    for (let written = 0; written < times; written += 1) {
      this.crc = crc32(bytes, this.crc)
      this.size += bytes.length
      this.ondata(null, deflated, false)
    }
  }

  end(): void {
    this.ondata(null, deflateRawSync(""), true)
  }
}

/**
 * An archive with an entry of the given name that inflates to `size` megabytes of `text`, with the given bytes before,
 * after and beside it. Creating it doesn't take that much memory.
 */
export function inflatingZip(
  name: string,
  text: string,
  size: number,
  {
    before = "",
    after = "",
    beside = {},
  }: {
    readonly before?: string
    readonly after?: string
    /** Texts of other entries, by name. */
    readonly beside?: Readonly<Record<string, string>>
  } = {},
): Buffer {
  const parts: Uint8Array[] = []
  const archive = new Zip((error, part) => {
    if (error) throw error
    parts.push(part)
  })
  const add = (file: string, fill: (entry: Entry) => void) => {
    const entry = new Entry(file)
    archive.add(entry)
    fill(entry)
    entry.end()
  }
  for (const [other, content] of Object.entries(beside)) add(other, (entry) => entry.push(content))
  add(name, (entry) => {
    entry.push(before)
    entry.push(Buffer.alloc(MB, text), size)
    entry.push(after)
  })
  archive.end()
  return Buffer.concat(parts)
}
