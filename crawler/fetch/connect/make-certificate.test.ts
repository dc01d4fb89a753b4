import { X509Certificate } from "node:crypto"
import { expect, test } from "vitest"
import { makeCertificate } from "./make-certificate.ts"

/** The bytes of the DER element at `at`, including its contents; throws if a length is not in its shortest form. */
function endOf(der: Buffer, at = 0): number {
  const first = der[at + 1]!
  const isLong = first >= 0x80
  const sizeBytes = isLong ? first & 0x7f : 0
  const length = isLong ? der.readUIntBE(at + 2, sizeBytes) : first
  const shortest = length < 0x80 ? 0 : length < 0x100 ? 1 : 2
  if (sizeBytes !== shortest) throw new Error(`${length} in ${sizeBytes} bytes at ${at}`)
  const start = at + 2 + sizeBytes
  // Elements that contain others: sequences, sets and tagged ones.
  if ((der[at]! & 0x20) !== 0) for (let part = start; part < start + length;) part = endOf(der, part)
  return start + length
}

test.each([1, 127, 128, 255, 256, 300])(
  "a certificate is valid DER, where a length has only one form (X.690 §10.1): a name of %d characters",
  (length) => {
    const subject = "x".repeat(length)
    const { raw, subject: read, issuer } = new X509Certificate(makeCertificate({ subject }).cert)
    expect(endOf(raw)).toBe(raw.length)
    expect([read, issuer]).toEqual([`CN=${subject}`, `CN=${subject}`])
  },
)

test("a certificate is for the names it is given, and can issue others only when asked to", () => {
  const root = makeCertificate({ subject: "root", isAuthority: true })
  const plain = new X509Certificate(makeCertificate({ subject: "plain" }).cert)
  expect([new X509Certificate(root.cert).ca, plain.ca]).toEqual([true, false])
  // The extension is left out, since RFC 5280 §4.2.1.6 forbids an empty list.
  expect(plain.subjectAltName).toBeUndefined()
  const named = makeCertificate({ subject: "named", names: ["docs.example", "127.0.0.1"], issuer: root })
  expect(new X509Certificate(named.cert).subjectAltName).toBe("DNS:docs.example, IP Address:127.0.0.1")
})
