import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"

/** A file of a release and its SHA-256, in hexadecimal. */
export interface ReleaseFile {
  readonly path: string
  readonly sha256: string
}

const LINE = /^([0-9a-f]{64}) {2}(\S.*)$/

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A manifest as `sha256sum --check` reads it: the files of a release, by their paths. */
export const manifestText = (files: readonly ReleaseFile[]): string =>
  files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, sha256: hash }) => `${hash}  ${path}\n`)
    .join("")

/** @throws Error when the text is not a manifest */
export function readManifest(text: string): readonly ReleaseFile[] {
  const files = text
    .trimEnd()
    .split("\n")
    .map((line, index) => {
      const [, hash = "", path = ""] = LINE.exec(line) ?? []
      if (path === "") throw new Error(`line ${index + 1} is not a hash followed by the path of a file`)
      return { path, sha256: hash }
    })
  if (new Set(files.map(({ path }) => path)).size !== files.length)
    throw new Error("the manifest lists a file twice")
  return files
}

/**
 * Signs with Ed25519 (RFC 8032), as `openssl pkeyutl -verify -rawin` checks it.
 * @param key private key, PEM
 * @throws Error when the key is of another type
 */
export function signed(text: string, key: string): Uint8Array {
  const privateKey = createPrivateKey(key)
  if (privateKey.asymmetricKeyType !== "ed25519") throw new Error("the key is not an Ed25519 key")
  return sign(null, Buffer.from(text), privateKey)
}

/** @param key public key, PEM. @throws Error for an invalid key */
export function isSigned(text: string, signature: Uint8Array, key: string): boolean {
  const publicKey = createPublicKey(key)
  if (publicKey.asymmetricKeyType !== "ed25519") throw new Error("the key is not an Ed25519 key")
  return verify(null, Buffer.from(text), publicKey, signature)
}
