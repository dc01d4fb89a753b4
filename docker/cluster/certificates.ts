import { X509Certificate } from "node:crypto"
import { type MadeCertificate, makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"

// Certificates of the OpenSearch cluster: its own certificate authority, one certificate for each node, and one for
// operators.

const YEAR_MS = 365 * 86_400_000
/** How long the authority is valid: long, because no operator is there to renew an authority that all nodes and processes trust. */
const AUTHORITY_YEARS = 30
const YEARS = 10
/** A certificate that expires within this time is renewed at the next start. */
const RENEWED_YEARS = 1

/** Common names that identify nodes and operators to the nodes (`plugins.security.nodes_dn`, `…admin_dn`). */
export const NODE = "node.fossick"
export const ADMIN = "admin.fossick"

const inYears = (years: number): Date => new Date(Date.now() + years * YEAR_MS)

export const makeAuthority = (): MadeCertificate =>
  makeCertificate({ subject: "authority.fossick", isAuthority: true, until: inYears(AUTHORITY_YEARS) })

/** @param names the host names and addresses at which a node is reached */
export const makeIssued = (
  subject: string,
  issuer: MadeCertificate,
  names: readonly string[] = [],
): MadeCertificate => makeCertificate({ subject, names, issuer, until: inYears(YEARS) })

/** Whether a certificate, in PEM, was issued by this authority and won't expire soon. */
export function isGood(cert: string, authority: string): boolean {
  try {
    const read = new X509Certificate(cert)
    return (
      read.verify(new X509Certificate(authority).publicKey) &&
      Date.parse(read.validTo) > +inYears(RENEWED_YEARS)
    )
  } catch {
    return false
  }
}
