import { createPrivateKey } from "node:crypto"
import path from "node:path"
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import { certificatesIn, readCertificates } from "#base/process/authorities.ts"
import { KnownError } from "#base/errors.ts"
import { resolveSecret } from "#base/secret.ts"
import type { ClientCertificate, Source } from "../../source.ts"
import { checkSecret } from "../secrets.ts"

/** The TLS settings of a source's connections. Its client certificate is sent only to its own sites. */
export class SourceTls {
  readonly #plain: SecureContext | undefined
  readonly #own: SecureContext | undefined
  readonly #origins: ReadonlySet<string>

  /** @throws KnownError naming the field, and the file or variable that is missing or wrong, but never a value */
  constructor(source: Pick<Source, "seeds" | "caFile" | "clientCert" | "login">, env: NodeJS.ProcessEnv) {
    const { caFile, clientCert, seeds, login } = source
    const ca =
      caFile === null
        ? undefined
        : [...getCACertificates("default"), ...inField("caFile", () => readCertificates(caFile))]
    const client = clientCert === null ? null : resolved(clientCert, env)
    this.#plain = ca && createSecureContext({ ca })
    this.#own =
      client === null
        ? this.#plain
        : inField("clientCert", () => createSecureContext({ ...(ca && { ca }), ...client }))
    this.#origins = new Set([...seeds, ...(login?.kind === "form" ? [login.url] : [])].map(placeOf))
  }

  /** The context for a connection to `url`; `undefined` for the default. */
  contextFor(url: URL): SecureContext | undefined {
    return this.#origins.has(placeOf(url)) ? this.#own : this.#plain
  }
}

/** Host and port; the default is 443 even for http, because an http seed may redirect to https. */
function placeOf(address: string | URL): string {
  const { hostname, port } = new URL(address)
  return `${hostname}:${port || "443"}`
}

/** The TLS settings that a source asks for; `null` for the default. @throws KnownError */
export function tlsOf(
  source: Pick<Source, "seeds" | "caFile" | "clientCert" | "login">,
  env: NodeJS.ProcessEnv,
): SourceTls | null {
  return source.caFile === null && source.clientCert === null ? null : new SourceTls(source, env)
}

/** Problems with a source's certificate settings; reads no files. The `path` of a problem is the path of the field. */
export function tlsProblems({
  caFile,
  clientCert,
}: {
  readonly caFile?: string | null
  readonly clientCert?: Partial<ClientCertificate> | null
}): { path: string[]; message: string }[] {
  const problems: { path: string[]; message: string }[] = []
  if (caFile != null && !path.isAbsolute(caFile))
    problems.push({ path: ["caFile"], message: "must be an absolute path of a file" })
  for (const field of ["cert", "key", "passphrase"] as const) {
    const value = clientCert?.[field]
    const message = value == null ? null : checkSecret(value)
    if (message !== null) problems.push({ path: ["clientCert", field], message })
  }
  return problems
}

function resolved({ cert, key, passphrase }: ClientCertificate, env: NodeJS.ProcessEnv) {
  const read = {
    cert: inField("clientCert.cert", () => {
      const text = resolveSecret(cert, env)
      try {
        return certificatesIn(text).join("\n")
      } catch (error) {
        throw new Error(`${cert} ${(error as Error).message}`, { cause: error })
      }
    }),
    key: inField("clientCert.key", () => resolveSecret(key, env)),
    ...(passphrase !== null && {
      passphrase: inField("clientCert.passphrase", () => resolveSecret(passphrase, env)),
    }),
  }
  try {
    createPrivateKey(read)
  } catch {
    const why = /ENCRYPTED/.test(read.key)
      ? passphrase === null
        ? "is encrypted: set clientCert.passphrase"
        : "cannot be decrypted with clientCert.passphrase"
      : "contains no private key in PEM format"
    throw new KnownError(`clientCert.key: ${key} ${why}`)
  }
  return read
}

function inField<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new KnownError(`${field}: ${(error as Error).message}`, { cause: error })
  }
}
