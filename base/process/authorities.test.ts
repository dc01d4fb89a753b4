import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, rootCertificates, setDefaultCACertificates } from "node:tls"
import { expect, test } from "vitest"
import { certificatesIn, readCertificates, trustAuthorities } from "./authorities.ts"
import { moduleBeside } from "./module-beside.ts"

const [ONE, TWO] = rootCertificates as [string, string]
const BROKEN = "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----"

/** The message of the cause of the error that the work throws. */
function causeOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    return ((error as Error).cause as Error | undefined)?.message
  }
  return undefined
}

test("reads all certificates in a text, whatever stands between them", () => {
  expect(certificatesIn(`Our authorities:\n${ONE}\n# the other one\n${TWO}\n`)).toEqual([ONE, TWO])
})

test("reports the position of an invalid certificate, and how to convert other formats to PEM", () => {
  expect(() => certificatesIn("hello")).toThrow(
    /^contains no certificate in PEM format \(-----BEGIN CERTIFICATE-----\)$/,
  )
  for (const der of ["0\x82\x03\x01", "abc\0def"])
    expect(() => certificatesIn(der)).toThrow(
      "it looks like DER, which openssl x509 -inform der converts to PEM",
    )
  expect(() => certificatesIn(`${ONE}\n${BROKEN}`)).toThrow(
    "contains something other than a certificate at position 2 (",
  )
  expect(() => certificatesIn(BROKEN)).toThrow("at position 1 (")
})

test("reports what is wrong with a file, and a wrong file adds no authority and stops nothing", () => {
  const dir = mkdtempSync(join(tmpdir(), "fossick-ca-"))
  const [good, bad, none] = ["good.pem", "bad.pem", "none.pem"].map((name) => join(dir, name))
  writeFileSync(good!, `${ONE}\n${TWO}\n`)
  writeFileSync(bad!, "nothing")
  expect(readCertificates(good!)).toEqual([ONE, TWO])
  expect(causeOf(() => readCertificates(bad!))).toMatch(/^contains no certificate/)
  expect(causeOf(() => readCertificates(none!))).toMatch(/^ENOENT/)
  expect(causeOf(() => certificatesIn(BROKEN))).toBeDefined()
  expect(() => readCertificates(bad!)).toThrow(`${bad} contains no certificate in PEM format`)
  expect(() => readCertificates(none!)).toThrow(`${none} cannot be read (ENOENT)`)
  for (const env of [{}, { FOSSICK_CA_FILE: "" }, { FOSSICK_CA_FILE: bad }, { FOSSICK_CA_FILE: none }])
    expect(() => trustAuthorities(env)).not.toThrow()
  rmSync(dir, { recursive: true })
})

test("the authorities in a file are trusted in addition to the existing ones", () => {
  const before = getCACertificates("default")
  const dir = mkdtempSync(join(tmpdir(), "fossick-ca-"))
  writeFileSync(join(dir, "ours.pem"), `${TWO}\n`)
  try {
    setDefaultCACertificates([ONE])
    trustAuthorities({ FOSSICK_CA_FILE: join(dir, "ours.pem") })
    const subjects = getCACertificates("default").map((one) => new X509Certificate(one).subject)
    expect(new Set(subjects)).toEqual(new Set([ONE, TWO].map((one) => new X509Certificate(one).subject)))
  } finally {
    setDefaultCACertificates(before)
    rmSync(dir, { recursive: true })
  }
})

test("a program beside another one has its extension, in a clone and in the package", () => {
  expect(moduleBeside("file:///a/b/main.ts", "./job-worker").href).toBe("file:///a/b/job-worker.ts")
  expect(moduleBeside("file:///a/b/main.js?x", "../c/job-worker").href).toBe("file:///a/c/job-worker.js")
})
