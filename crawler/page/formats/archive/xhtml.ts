/** Elements that are always empty in HTML; all others need an end tag there. */
const VOID = new Set(
  "area base br col command embed frame hr img input keygen link meta param source track wbr".split(" "),
)

/** Turns XHTML into what HTML parsers expect: closes `<title/>` and `<a id="x"/>`, which they would otherwise read as start tags. */
export function closeEmptyTags(xhtml: string): string {
  return xhtml.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (tag, name: string, attributes: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${attributes}></${name}>`,
  )
}
