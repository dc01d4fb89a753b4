import type { DetailedPeerCertificate, TLSSocket } from "node:tls"

/** A secure connection that failed, explained to the operator. `code` is the system's error code. */
export class SecureConnectionError extends Error {
  readonly code: string

  constructor(code: string, message: string, cause: Error) {
    super(message, { cause })
    this.name = "SecureConnectionError"
    this.code = code
  }
}

/** Maximum number of certificates read from a chain, because a site can send a chain of any length. */
const MAX_CHAIN = 10
const MAX_NAME_CHARS = 100

const UNKNOWN_AUTHORITY = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "CERT_UNTRUSTED",
  "INVALID_CA",
])
/** Alerts of RFC 8446 §6.2 with which a server asks for a certificate, or refuses the one it received. */
const CERTIFICATE_ALERT =
  /alert (certificate required|bad certificate|unknown ca|certificate unknown|handshake failure|access denied)/i

const REMEDY = "set FOSSICK_CA_FILE or the source's caFile to its PEM file"

/**
 * Records the certificate of a connection that is being made, because the certificate is gone once the connection has
 * failed.
 * @returns a function that turns the connection's error into one that says what an operator can do
 */
export function explainFailure(socket: TLSSocket, host: string): (error: Error) => Error {
  let seen: Seen | null = null
  // Emitted before the certificate is checked.
  socket.prependOnceListener("secure", () => {
    seen = certificateOf(socket)
  })
  return (error) => explained(error, seen, host)
}

/** The contents of a certificate that a site sent. */
interface Seen {
  readonly issuer: string
  /** The issuer of the last certificate in the chain that the site sent. */
  readonly root: string
  readonly isSelfSigned: boolean
  readonly names: readonly string[]
  readonly from: string
  readonly until: string
}

function certificateOf(socket: TLSSocket): Seen | null {
  const leaf = socket.getPeerCertificate(true)
  // An empty object means that the site sent no certificate.
  if ((leaf as Partial<DetailedPeerCertificate>).issuer === undefined) return null
  let last = leaf
  // The last certificate names itself or nobody as its issuer.
  for (let length = 1; length < MAX_CHAIN; length++) last = last.issuerCertificate ?? last
  const names = (leaf.subjectaltname ?? "")
    .split(", ")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ""))
  return {
    issuer: nameOf(leaf.issuer),
    root: nameOf(last.issuer),
    isSelfSigned: sameName(leaf.issuer, leaf.subject),
    names: names.length > 0 ? names : [nameOf(leaf.subject)],
    from: dayOf(leaf.valid_from),
    until: dayOf(leaf.valid_to),
  }
}

function explained(error: Error, seen: Seen | null, host: string): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ""
  const as = (message: string) => new SecureConnectionError(code, message, error)
  const wanted = clientCertificateWanted(error)
  if (wanted !== null) return as(wanted)
  if (seen === null) return error
  if (code === "CERT_HAS_EXPIRED")
    return as(
      `a certificate in the site's chain has expired: the site's own is valid until ${seen.until}, issued by ${seen.issuer}; the site must renew it`,
    )
  if (code === "CERT_NOT_YET_VALID")
    return as(
      `the certificate is not valid until ${seen.from} (issued by ${seen.issuer}); check this machine's clock`,
    )
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return as(`the certificate is for ${listed(seen.names)}, not for ${host} (issued by ${seen.issuer})`)
  if (code === "DEPTH_ZERO_SELF_SIGNED_CERT" || (seen.isSelfSigned && UNKNOWN_AUTHORITY.has(code)))
    return as(`the site's certificate is self-signed (as ${seen.issuer}); if the site is yours, ${REMEDY}`)
  if (UNKNOWN_AUTHORITY.has(code)) {
    const by = seen.root === seen.issuer ? seen.issuer : `${seen.issuer}, under ${seen.root}`
    return as(
      `the certificate was issued by ${by}, an authority that this appliance doesn't trust; ${REMEDY}`,
    )
  }
  return error
}

/**
 * The message for an alert with which a site ends a connection because it wants a certificate, or a better one; `null`
 * if the error is not such an alert.
 */
export function clientCertificateWanted(error: Error): string | null {
  const alert = CERTIFICATE_ALERT.exec(error.message)
  return (
    alert &&
    `the site refused the connection (${alert[1]}); it may require a client certificate: set the source's clientCert`
  )
}

type Name = DetailedPeerCertificate["issuer"]

const sameName = (a: Name, b: Name): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The common name, or else the organisation: quoted, printable, and short, since strangers choose it. */
function nameOf(name: Name): string {
  const { CN, O: organisation, OU } = name as Partial<Record<"CN" | "O" | "OU", string | string[]>>
  const text = [CN ?? organisation ?? OU ?? "no name"].flat().join(", ")
  const full =
    CN !== undefined && organisation !== undefined ? `${text} (${[organisation].flat().join(", ")})` : text
  return JSON.stringify(full.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "?").slice(0, MAX_NAME_CHARS))
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.slice(0, MAX_NAME_CHARS))
  return names.length > 3 ? `${shown.join(", ")} and ${names.length - 3} more` : shown.join(", ")
}

function dayOf(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString().slice(0, 10)
}
