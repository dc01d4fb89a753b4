import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { getCACertificates, setDefaultCACertificates } from "node:tls"

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g

/**
 * The certificates in PEM text (RFC 7468), one after another.
 * @throws Error whose message continues a sentence that begins with the text's name: "holds no certificate …"
 */
export function certificatesIn(text: string): string[] {
  const found = text.match(CERTIFICATE) ?? []
  if (found.length === 0)
    throw new Error(
      `contains no certificate in PEM format (-----BEGIN CERTIFICATE-----)${
        text.startsWith("0\x82") || text.includes("\0")
          ? "; it looks like DER, which openssl x509 -inform der converts to PEM"
          : ""
      }`,
    )
  for (const [index, one] of found.entries()) {
    try {
      void new X509Certificate(one).subject
    } catch (error) {
      throw new Error(
        `contains something other than a certificate at position ${index + 1} (${(error as Error).message})`,
        { cause: error },
      )
    }
  }
  return found
}

/**
 * The certificates of a PEM file.
 * @throws Error naming the file and its problem
 */
export function readCertificates(file: string): string[] {
  let text
  try {
    text = readFileSync(file, "latin1")
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
  try {
    return certificatesIn(text)
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Makes every secure connection of this thread trust the authorities in `FOSSICK_CA_FILE`, in addition to those of
 * Node.js. An invalid file adds none; the code that reads the settings reports it.
 */
export function trustAuthorities(env: NodeJS.ProcessEnv): void {
  const file = env["FOSSICK_CA_FILE"]
  if (!file) return
  try {
    setDefaultCACertificates([...getCACertificates("default"), ...readCertificates(file)])
  } catch {
    // The problem is reported by the code that reads the settings.
  }
}
