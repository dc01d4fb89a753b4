import { readXml } from "#crawler/page/formats/archive/xml.ts"

/** The SHA-2 algorithms of RFC 9231 and XML Encryption 1.1. The library would also accept SHA-1, for which collisions are known. */
const SIGNATURES: ReadonlySet<string> = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
])
const DIGESTS: ReadonlySet<string> = new Set([
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
])

/**
 * Maximum number of elements in a message: enough for about 950 groups. The library takes a quarter of a second for
 * that many, and a hundred times as long for ten times as many.
 */
const MOST_ELEMENTS = 1000

/**
 * Reads a message's statements about its destination, before its signature is checked.
 *
 * @returns the attributes of its outermost element
 * @throws Error for a message that declares entities, is too large to check, or is signed with a method that isn't
 * allowed
 */
export function checkMessage(xml: Uint8Array): Readonly<Record<string, string>> {
  if (Buffer.from(xml).includes("<!DOCTYPE")) throw new Error("The message has a document type declaration.")
  let elements = 0
  let outermost: Readonly<Record<string, string>> | undefined
  readXml(xml, {
    start(name, attributes) {
      outermost ??= attributes
      if (++elements > MOST_ELEMENTS) throw new Error(`The message has more than ${MOST_ELEMENTS} elements.`)
      const method = attributes["Algorithm"] ?? ""
      const allowed = name === "SignatureMethod" ? SIGNATURES : name === "DigestMethod" ? DIGESTS : null
      if (allowed?.has(method) === false)
        throw new Error(
          `The message is signed with ${method.slice(0, 100)}; it must be signed with SHA-256 or SHA-512.`,
        )
    },
  })
  return outermost ?? {}
}
