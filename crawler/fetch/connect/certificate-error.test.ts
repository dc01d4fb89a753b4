import { EventEmitter } from "node:events"
import type { DetailedPeerCertificate, TLSSocket } from "node:tls"
import { describe, expect, test } from "vitest"
import { explainFailure, SecureConnectionError } from "./certificate-error.ts"

// Tests unusual contents of other people's certificates, which our own certificates do not have; real connections are
// tested in secure-sites.test.ts.

type Sent = Partial<Omit<DetailedPeerCertificate, "issuer" | "subject">> & {
  readonly issuer?: object
  readonly subject?: object
}

const REMEDY = "set FOSSICK_CA_FILE or the source's caFile to its PEM file"
const WORKS = { CN: "Works CA" }
const SITE: Sent = {
  issuer: WORKS,
  subject: { CN: "docs" },
  subjectaltname: "DNS:docs.example",
  valid_from: "Jan  2 03:04:05 2025 GMT",
  valid_to: "Mar  4 05:06:07 2026 GMT",
}
const failure = (code: string, message = "no") => Object.assign(new Error(message), { code })

/** The error message for a failed connection to wiki.example, when the site sent this certificate. */
function told(sent: Sent, error: Error): Error {
  const socket = Object.assign(new EventEmitter(), { getPeerCertificate: () => sent })
  const explain = explainFailure(socket as unknown as TLSSocket, "wiki.example")
  socket.emit("secure")
  return explain(error)
}
const unknown = (sent: Sent) => told(sent, failure("UNABLE_TO_VERIFY_LEAF_SIGNATURE")).message
const otherHost = (sent: Sent) => told(sent, failure("ERR_TLS_CERT_ALTNAME_INVALID")).message
const issuedBy = (name: string) =>
  `the certificate was issued by ${name}, an authority that this appliance doesn't trust; ${REMEDY}`

describe("a failed secure connection", () => {
  test("is explained in plain words, with the original code and error", () => {
    const error = failure("CERT_HAS_EXPIRED", "certificate has expired")
    const found = told(SITE, error)
    expect(found).toBeInstanceOf(SecureConnectionError)
    expect(found).toMatchObject({ name: "SecureConnectionError", code: "CERT_HAS_EXPIRED", cause: error })
    expect(found.message).toBe(
      `a certificate in the site's chain has expired: the site's own is valid until 2026-03-04, issued by "Works CA"; the site must renew it`,
    )
  })

  test("suggests checking the clock when the certificate is not valid yet", () => {
    expect(told(SITE, failure("CERT_NOT_YET_VALID")).message).toBe(
      `the certificate is not valid until 2025-01-02 (issued by "Works CA"); check this machine's clock`,
    )
    expect(told({ ...SITE, valid_from: "some day" }, failure("CERT_NOT_YET_VALID")).message).toContain(
      "is not valid until some day",
    )
  })

  test.each([
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "CERT_UNTRUSTED",
    "INVALID_CA",
  ])("with %s is blamed on an unknown authority or a self-signed certificate", (code) => {
    expect(told(SITE, failure(code)).message).toBe(issuedBy('"Works CA"'))
    expect(told({ ...SITE, subject: WORKS }, failure(code)).message).toBe(
      `the site's certificate is self-signed (as "Works CA"); if the site is yours, ${REMEDY}`,
    )
  })

  test("stays as it is for other reasons, or when the site sent no certificate", () => {
    const other = failure("ECONNRESET")
    expect(told(SITE, other)).toBe(other)
    const expired = failure("CERT_HAS_EXPIRED")
    expect(told({}, expired)).toBe(expired)
    const socket = new EventEmitter() as unknown as TLSSocket
    expect(explainFailure(socket, "wiki.example")(expired)).toBe(expired)
  })

  test("is explained by the name of a TLS alert, whatever the site sent", () => {
    const alert = new Error(
      "0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec.c:912",
    )
    expect(told({}, alert)).toMatchObject({
      name: "SecureConnectionError",
      code: "",
      message:
        "the site refused the connection (certificate required); it may require a client certificate: set the source's clientCert",
    })
    const other = new Error("tlsv1 alert internal error:rec.c:912")
    expect(told(SITE, other)).toBe(other)
  })
})

describe("an issuer", () => {
  test.each([
    [{ CN: "Works CA", O: "Works Ltd" }, '"Works CA (Works Ltd)"'],
    [{ O: "Works Ltd", OU: "Locks" }, '"Works Ltd"'],
    [{ OU: "Locks" }, '"Locks"'],
    [{ C: "DE" }, '"no name"'],
    [{ CN: ["Works", "CA"], O: ["Works", "Ltd"] }, '"Works, CA (Works, Ltd)"'],
    [{ CN: 'Wörks & Söhne – "3€" + x\n\u0007' }, '"Wörks & Söhne – \\"3€\\" + x??"'],
    [{ CN: "x".repeat(101) }, `"${"x".repeat(100)}"`],
  ])("%j is shown as %s: printable and short, since strangers choose it", (issuer, name) => {
    expect(unknown({ ...SITE, issuer })).toBe(issuedBy(name))
  })

  test("is named with the last one in the chain, within ten at most", () => {
    const chain = (length: number): Sent =>
      Array.from({ length }, (_, i) => length - i).reduce<Sent>(
        (issuerCertificate, place) =>
          ({ ...SITE, issuer: { CN: `CA ${place}` }, ...(place < length && { issuerCertificate }) }) as Sent,
        {},
      )
    expect(unknown(chain(1))).toBe(issuedBy('"CA 1"'))
    expect(unknown(chain(3))).toBe(issuedBy('"CA 1", under "CA 3"'))
    expect(unknown(chain(20))).toBe(issuedBy('"CA 1", under "CA 10"'))
  })
})

describe("a certificate for another host", () => {
  test.each([
    ["DNS:a.example, IP Address:10.0.0.9, URI:urn:DNS:x", "a.example, 10.0.0.9, URI:urn:DNS:x"],
    [
      "DNS:a.example, DNS:b.example, DNS:c.example, DNS:d.example",
      "a.example, b.example, c.example and 1 more",
    ],
    [`DNS:${"a".repeat(101)}, IP Address:fd00:0:0:0:0:0:0:7`, `${"a".repeat(100)}, fd00:0:0:0:0:0:0:7`],
    ["", '"docs"'],
  ])("with the names %j is said to be for %s", (subjectaltname, names) => {
    expect(otherHost({ ...SITE, subjectaltname })).toBe(
      `the certificate is for ${names}, not for wiki.example (issued by "Works CA")`,
    )
  })
})
