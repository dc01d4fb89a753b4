/** How far into a document the HTML standard looks for a `<meta charset>` before it parses. */
const PRESCAN_BYTES = 1024
/** Scripts and styles may stand before it. A parser that meets one later changes to its encoding; no head seen was longer than a third of this. */
const MAX_HEAD_BYTES = 1_000_000

/** The label by which a page names its encoding. */
export interface NamedCharset {
  readonly label: string
  /** Whether it stands behind what the standard's prescan looks at. */
  readonly isLate: boolean
}

/**
 * What a page says of its encoding, by the HTML standard's prescan ("prescan a byte stream to determine its encoding"): the first
 * `<meta>` that names one outside comments, else the XML declaration. Unlike the prescan it looks through the whole head, as the parser does
 * that meets a late `<meta>`, and not into elements whose text has no tags.
 * @param isKnown labels that are unknown are passed over
 */
export function prescan(bytes: Buffer, isKnown: (label: string) => boolean): NamedCharset | null {
  const text = bytes.toString("latin1", 0, MAX_HEAD_BYTES)
  return metaCharset(text, isKnown) ?? xmlDeclaration(text)
}

/** The encoding that an XML declaration names. */
export function xmlDeclaration(text: string): NamedCharset | null {
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([^"'>\s]+)/.exec(text.slice(0, PRESCAN_BYTES))
  return declared === null ? null : { label: declared[1]!, isLate: false }
}

const TAG = /<(\/?)([a-z][^\s/>]*)/iy
/** Elements whose text has no tags: what looks like one in there is none. */
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)$/

function metaCharset(text: string, isKnown: (label: string) => boolean): NamedCharset | null {
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
      if (label !== null && isKnown(label)) return { label, isLate: at >= PRESCAN_BYTES }
    }
    at = slash === "" && RAW_TEXT.test(name!.toLowerCase()) ? endOfRawText(text, name!, end) : end
    if (at < 0) return null
  }
  return null
}

/** Behind a comment, a doctype, an instruction, or a sign that opens nothing; -1 where it does not end. */
function endOfOther(text: string, at: number): number {
  // The two dashes that open a comment may close it.
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
    // The first of a name counts.
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
