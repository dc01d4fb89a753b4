import { Parser } from "htmlparser2"
import { charsetOf } from "../../charset.ts"

export interface XmlHandlers {
  /** Names are passed without their prefix, except those of attributes. Return false to stop reading. */
  readonly start?: (name: string, attributes: Readonly<Record<string, string>>) => boolean | void
  /** `text` is the text directly before the end tag: all of the element's text if it contains no other elements. */
  readonly end?: (name: string, text: string) => void
}

const CHUNK_BYTES = 256 * 1024
/** The length limit for the text of one element. */
const MAX_TEXT_CHARS = 100_000

/** Reads XML piece by piece, in the encoding that it declares. Entities declared by the document are not expanded; damaged XML is read up to the damage. */
export function readXml(xml: Uint8Array | null, { start, end }: XmlHandlers): void {
  if (xml === null) return
  let text = ""
  const state = { isOver: false }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        text = ""
        if (!state.isOver && start?.(localName(name), attributes) === false) state.isOver = true
      },
      ontext(piece) {
        if (text.length < MAX_TEXT_CHARS) text += piece
      },
      onclosetag(name) {
        if (!state.isOver) end?.(localName(name), text)
        text = ""
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder(charsetOf(xml, null, "xml"))
  for (let at = 0; at < xml.length && !state.isOver; at += CHUNK_BYTES)
    parser.write(decoder.decode(xml.subarray(at, at + CHUNK_BYTES), { stream: true }))
  if (!state.isOver) parser.end()
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}
