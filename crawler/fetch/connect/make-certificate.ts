import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"

// Just enough X.509 (RFC 5280) in DER (X.690) for two parties that know each other: Node.js can read certificates but
// not make them, and a library would bring in a parser and a dozen packages.

/** A certificate and its private key. */
export interface MadeCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
  /** The public key in the form used in certificates, in DER. */
  readonly spki: Buffer
  readonly subject: string
  readonly privateKey: KeyObject
}

export interface CertificateOptions {
  /** Common name, ASCII. */
  readonly subject: string
  /** Host names and IPv4 addresses for which the certificate is valid. */
  readonly names?: readonly string[]
  /** Whether the certificate may be used to issue others. */
  readonly isAuthority?: boolean
  /** The certificate of the issuer, which signs the new one. Default: the new certificate is self-signed. */
  readonly issuer?: MadeCertificate
  /** Default: a key on the P-256 curve. A certificate with an RSA key has to be issued by another certificate. */
  readonly keyType?: "rsa"
  /** Start of the certificate's validity. Default: yesterday. */
  readonly from?: Date
  /** End of the certificate's validity. Default: in thirty days. */
  readonly until?: Date
}

const DAY_MS = 86_400_000
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2"
const COMMON_NAME = "2.5.4.3"
const BASIC_CONSTRAINTS = "2.5.29.19"
const ALTERNATIVE_NAMES = "2.5.29.17"

/** A certificate with a new key. */
export function makeCertificate(options: CertificateOptions): MadeCertificate {
  const { subject, names = [], isAuthority = false, issuer } = options
  const { publicKey, privateKey } =
    options.keyType === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const extensions = [
    extension(BASIC_CONSTRAINTS, sequence(...(isAuthority ? [der(0x01, Buffer.of(0xff))] : []))),
    ...(names.length > 0 ? [extension(ALTERNATIVE_NAMES, sequence(...names.map(alternativeName)))] : []),
  ]
  const toSign = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(0x01), randomBytes(15)])),
    algorithm,
    nameOf(issuer?.subject ?? subject),
    sequence(
      time(options.from ?? new Date(Date.now() - DAY_MS)),
      time(options.until ?? new Date(Date.now() + 30 * DAY_MS)),
    ),
    nameOf(subject),
    spki,
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign("sha256", toSign, issuer?.privateKey ?? privateKey)
  const bytes = sequence(toSign, algorithm, der(0x03, Buffer.of(0), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    spki,
    subject,
    privateKey,
  }
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff)
  return Buffer.concat([Buffer.of(tag), size, content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)

const integer = (bytes: Buffer): Buffer => der(0x02, bytes)

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Encodes a number in base 128: seven bits per byte, the highest first. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

const nameOf = (commonName: string): Buffer =>
  sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))))

/** A time as GeneralizedTime, which RFC 5280 §4.1.2.5 requires from 2050 on and every reader also accepts for earlier dates. */
const time = (at: Date): Buffer =>
  der(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`))

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))

const alternativeName = (name: string): Buffer =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name))
