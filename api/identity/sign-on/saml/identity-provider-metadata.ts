import { X509Certificate } from "node:crypto"
import { KnownError } from "#base/errors.ts"
import { readXml } from "#crawler/page/formats/archive/xml.ts"

/** The facts needed about an identity provider before the first sign-in. */
export interface IdentityProvider {
  readonly entityId: string
  /** Address that accepts sign-in requests with the HTTP-Redirect binding. */
  readonly signInUrl: string
  /** Address that accepts answers to the provider's requests to sign users out, with the HTTP-Redirect binding, or null. */
  readonly signOutUrl: string | null
  /** PEM certificates. Any of them may sign: while a provider is changing its key, it has two. */
  readonly certificates: readonly string[]
}

const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol"

/**
 * Reads the metadata of one identity provider (Metadata for SAML 2.0, section 2.4.3).
 *
 * @throws KnownError saying what is missing from the document
 */
export function readIdentityProvider(xml: Uint8Array): IdentityProvider {
  const entities: string[] = []
  const certificates: string[] = []
  let signInUrl: string | null = null
  let signOutUrl: string | null = null
  let isInside = false
  let isForSigning = false
  readXml(xml, {
    start(name, attributes) {
      if (name === "EntityDescriptor") entities.push(attributes["entityID"] ?? "")
      if (name === "IDPSSODescriptor")
        isInside = (attributes["protocolSupportEnumeration"] ?? "").split(/\s+/).includes(PROTOCOL)
      if (name === "KeyDescriptor") isForSigning = (attributes["use"] ?? "signing") === "signing"
      if (!isInside || attributes["Binding"] !== REDIRECT) return
      if (name === "SingleSignOnService") signInUrl ??= attributes["Location"] ?? null
      if (name === "SingleLogoutService")
        signOutUrl ??= attributes["ResponseLocation"] ?? attributes["Location"] ?? null
    },
    end(name, text) {
      if (name === "IDPSSODescriptor") isInside = false
      if (name === "X509Certificate" && isInside && isForSigning) certificates.push(certificateOf(text))
    },
  })
  if (entities.length > 1)
    throw new KnownError("The metadata describes several providers. Give the metadata of one.")
  const [entityId = ""] = entities
  if (entityId === "")
    throw new KnownError("The metadata isn't a SAML 2.0 EntityDescriptor with an entityID.")
  if (signInUrl === null || certificates.length === 0)
    throw new KnownError(
      "The metadata doesn't describe an identity provider that accepts sign-ins over HTTP-Redirect and has a signing certificate.",
    )
  return {
    entityId,
    signInUrl: webAddress(signInUrl),
    signOutUrl: signOutUrl && webAddress(signOutUrl),
    certificates,
  }
}

/** A certificate as PEM, from PEM or from the base64 in metadata. @throws KnownError for anything else */
export function certificateOf(text: string): string {
  const pem = text.includes("-----BEGIN")
    ? text
    : `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/\s/g, "").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`
  try {
    return new X509Certificate(pem).toString()
  } catch {
    throw new KnownError("A certificate of the provider can't be read. It must be X.509, in PEM or base64.")
  }
}

function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === "https:" || url?.protocol === "http:") return url.href
  throw new KnownError("The metadata has a Location that isn't a web address.")
}
