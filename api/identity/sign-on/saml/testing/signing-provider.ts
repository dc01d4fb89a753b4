import { randomBytes } from "node:crypto"
import { inflateRawSync } from "node:zlib"
import { SignedXml } from "xml-crypto"
import { makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"
import type { IdentityProvider } from "../identity-provider-metadata.ts"

/** How a response differs from a correct one. Times are in seconds from now. */
export interface AnswerOptions {
  readonly requestId?: string | null
  readonly recipient: string
  readonly audience: string
  readonly issuer?: string
  readonly nameId?: string
  readonly nameIdFormat?: string
  readonly attributes?: Readonly<Record<string, readonly string[]>>
  readonly notBefore?: number
  readonly notOnOrAfter?: number
  readonly sessionNotOnOrAfter?: number
  readonly method?: string
  /** The parts to sign; by default, only the assertion. */
  readonly signed?: "assertion" | "response" | "nothing"
  readonly hash?: "sha1" | "sha256"
  /** Changes the XML after it was signed. */
  readonly forged?: (xml: string) => string
}

const authority = makeCertificate({ subject: "Authority of the tests", isAuthority: true })

const METHODS = {
  sha1: ["http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#sha1"],
  sha256: ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmlenc#sha256"],
} as const

/** A provider that signs whatever a test asks for, valid or not, which no product does. */
export class SigningProvider {
  readonly #certificate = makeCertificate({ subject: "idp.example", issuer: authority, keyType: "rsa" })
  readonly entityId = "https://idp.example/metadata"

  get described(): IdentityProvider {
    return {
      entityId: this.entityId,
      signInUrl: "https://idp.example/sign-in",
      signOutUrl: "https://idp.example/sign-out",
      certificates: [this.#certificate.cert],
    }
  }

  get metadata(): string {
    const { entityId, signInUrl, signOutUrl } = this.described
    const certificate = this.#certificate.cert.replaceAll(/-----.*-----|\s/g, "")
    const redirect = `Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"`
    return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:SingleLogoutService ${redirect} Location="${signOutUrl}"/><md:SingleSignOnService ${redirect} Location="${signInUrl}"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`
  }

  /** The value of the form field `SAMLResponse`. */
  answer(options: AnswerOptions): string {
    const { signed = "assertion", forged = (xml: string) => xml } = options
    const assertion = this.#assertion(options)
    const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${at(0)}" Destination="${options.recipient}"${inResponseTo(options)}><saml:Issuer>${this.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`
    const xml =
      signed === "nothing"
        ? response
        : this.#sign(response, signed === "assertion" ? "Assertion" : "Response", options.hash)
    return Buffer.from(forged(xml)).toString("base64")
  }

  /** The value of the form field `SAMLRequest`. */
  signOut(
    {
      nameId,
      sessionIndex,
      destination,
    }: { readonly nameId: string; readonly sessionIndex?: string; readonly destination: string },
    isSigned = true,
  ): string {
    const index = sessionIndex === undefined ? "" : `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`
    const xml = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${at(0)}" Destination="${destination}"><saml:Issuer>${this.entityId}</saml:Issuer><saml:NameID>${nameId}</saml:NameID>${index}</samlp:LogoutRequest>`
    return Buffer.from(isSigned ? this.#sign(xml, "LogoutRequest") : xml).toString("base64")
  }

  #assertion(options: AnswerOptions): string {
    const { recipient, audience, nameId = "anna@example.com", method = "bearer", notBefore = -5 } = options
    const { attributes = {}, notOnOrAfter = 60, sessionNotOnOrAfter = 3600, issuer = this.entityId } = options
    const format = options.nameIdFormat === undefined ? "" : ` Format="${options.nameIdFormat}"`
    const statements = Object.entries(attributes).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`,
    )
    return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID${format}>${nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${method}"><saml:SubjectConfirmationData Recipient="${recipient}" NotOnOrAfter="${at(notOnOrAfter)}"${inResponseTo(options)}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(notBefore)}" NotOnOrAfter="${at(notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="session-1" SessionNotOnOrAfter="${at(sessionNotOnOrAfter)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${statements.join("")}</saml:AttributeStatement></saml:Assertion>`
  }

  #sign(xml: string, name: string, hash: keyof typeof METHODS = "sha256"): string {
    const [signatureAlgorithm, digestAlgorithm] = METHODS[hash]
    const canonicalizationAlgorithm = "http://www.w3.org/2001/10/xml-exc-c14n#"
    const signature = new SignedXml({
      privateKey: this.#certificate.key,
      signatureAlgorithm,
      canonicalizationAlgorithm,
    })
    const xpath = `//*[local-name(.)="${name}"]`
    const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    signature.addReference({ xpath, digestAlgorithm, transforms: [enveloped, canonicalizationAlgorithm] })
    signature.computeSignature(xml, { location: { reference: xpath, action: "append" } })
    return signature.getSignedXml()
  }
}

/** The request in an address that a browser was sent to, and its identifier. */
export function requestIn(url: string): { readonly xml: string; readonly id: string } {
  const packed = Buffer.from(new URL(url).searchParams.get("SAMLRequest")!, "base64")
  const xml = inflateRawSync(packed).toString()
  return { xml, id: / ID="([^"]+)"/.exec(xml)![1]! }
}

const newId = (): string => `_${randomBytes(16).toString("hex")}`
const at = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString()
const inResponseTo = ({ requestId }: AnswerOptions): string =>
  requestId ? ` InResponseTo="${requestId}"` : ""
