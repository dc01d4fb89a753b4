/** Number of bytes at the start of a document in which the HTML standard looks for a `<meta charset>` before parsing. */
const PRESCAN_BYTES = 1024
/**
 * Maximum number of bytes that are searched. Scripts and styles may come first, and a parser that encounters a late
 * `<meta>` switches to the encoding that it names. The longest head seen was a third as long as this.
 */
const MAX_HEAD_BYTES = 1_000_000

/** The encoding for a label; null when the label is unknown. */
type EncodingOf = (label: string) => string | null

/** The encoding that a page names. */
export interface NamedEncoding {
  readonly encoding: string
  /** Whether the standard's prescan would stop before this declaration. */
  readonly isLate: boolean
}

/**
 * The encoding that a page names, by the HTML standard's prescan ("prescan a byte stream to determine its encoding"):
 * the first `<meta>` with a known label outside comments, otherwise the XML declaration. Unlike the prescan it searches
 * the whole head, since parsers follow a late `<meta>` too, and skips elements whose text has no tags.
 */
export function prescan(bytes: Buffer, encodingOf: EncodingOf): NamedEncoding | null {
  return (
    metaEncoding(bytes.toString("latin1", 0, MAX_HEAD_BYTES), encodingOf) ?? xmlEncoding(bytes, encodingOf)
  )
}

/** The encoding that an XML declaration names. */
export function xmlEncoding(bytes: Buffer, encodingOf: EncodingOf): NamedEncoding | null {
  const text = bytes.toString("latin1", 0, PRESCAN_BYTES)
  const label = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([^"'>\s]+)/.exec(text)?.[1]
  const encoding = label === undefined ? null : encodingOf(label)
  return encoding === null ? null : { encoding, isLate: false }
}

const TAG = /<(\/?)([a-z][^\s/>]*)/iy
/** Elements whose text has no tags, even if it looks like tags. */
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)$/

function metaEncoding(text: string, encodingOf: EncodingOf): NamedEncoding | null {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    TAG.lastIndex = at
    const tag = TAG.exec(text)
    if (tag === null) {
      const end = endOfOther(text, at)
      if (end < 0) return null
      at = end
      continue
    }
    const [, slash, name] = tag
    const { end, attributes } = readAttributes(text, TAG.lastIndex)
    if (slash === "" && name!.toLowerCase() === "meta") {
      const label = labelOf(attributes)
      const encoding = label === null ? null : encodingOf(label)
      if (encoding !== null) return { encoding, isLate: at >= PRESCAN_BYTES }
    }
    at = slash === "" && RAW_TEXT.test(name!.toLowerCase()) ? endOfRawText(text, name!, end) : end
    if (at < 0) return null
  }
  return null
}

/** The end of a comment, a doctype, an instruction, or a `<` that opens nothing; -1 if the end is missing. */
function endOfOther(text: string, at: number): number {
  // The two dashes that open a comment can also close it.
  const close = text.startsWith("<!--", at) ? "-->" : /[!?/]/.test(text[at + 1] ?? "") ? ">" : ""
  const end = text.indexOf(close, at + (close === "-->" ? 2 : 1))
  return end < 0 ? -1 : end + close.length
}

function endOfRawText(text: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s/>]`, "gi")
  close.lastIndex = from
  return close.exec(text)?.index ?? -1
}

const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/y

function readAttributes(
  text: string,
  from: number,
): { end: number; attributes: ReadonlyMap<string, string> } {
  const attributes = new Map<string, string>()
  let end = from
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const attribute = ATTRIBUTE.exec(text)
    if (attribute === null) return { end, attributes }
    end = ATTRIBUTE.lastIndex
    const [, name, ...values] = attribute
    const key = name!.toLowerCase()
    // If an attribute is repeated, the first value is used.
    if (!attributes.has(key)) attributes.set(key, values.find((value) => value !== undefined) ?? "")
  }
}

function labelOf(attributes: ReadonlyMap<string, string>): string | null {
  const charset = attributes.get("charset")
  if (charset !== undefined) return charset.trim()
  if (attributes.get("http-equiv")?.trim().toLowerCase() !== "content-type") return null
  const named = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get("content") ?? "")
  return named === null ? null : (named[1] ?? named[2] ?? named[3]!).trim()
}
