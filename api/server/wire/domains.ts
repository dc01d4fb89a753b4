import { isIP } from "node:net"
import { domainToASCII } from "node:url"

import { getDomain } from "tldts"

import { isPublicSuffix } from "#engine/index/page/domains.ts"

import { badRequest } from "../../errors.ts"

/**
 * The hosts in a domain list, as the engine's filter needs them: lower case, ASCII (UTS 46 and RFC 3492 for names in
 * other scripts), without the scheme, without a `www.` before a registrable domain, and with their port if one is
 * given. Addresses, `localhost` and single-label names, as in intranets, are hosts too.
 *
 * @throws ApiError 400 naming the first entry that is not a plain host, that has an invalid port, or that is a public
 * suffix such as `co.uk`, under which anyone may register; or the exceeded limit
 */
export function domainList(
  field: string,
  given: string | readonly string[] | undefined,
  cap: number,
): readonly string[] {
  if (given === undefined) return []
  const entries = typeof given === "string" ? [given] : given
  if (entries.length > cap) throw badRequest(`Invalid ${field}. Must have at most ${cap} entries.`)
  return [...new Set(entries.flatMap((entry) => hosts(field, entry)))]
}

function hosts(field: string, entry: string): string[] {
  const refused = `Invalid ${field}: '${entry.slice(0, 100)}'.`
  const { name, port } = withoutPort(bareText(entry))
  const host = hostOf(name)
  if (host === null) {
    throw badRequest(
      `${refused} Must be domains such as 'example.com' or 'example.com:8443', without wildcards, path, query or fragment.`,
    )
  }
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= MAX_PORT)) {
    throw badRequest(`${refused} The port '${port}' must be a number from 1 to ${MAX_PORT}.`)
  }
  if (isPublicSuffix(host) && (host.includes(".") || OLD_TOP_LEVEL.test(host))) {
    throw badRequest(
      `${refused} Must be domains such as 'example.com'; '${host}' is a public suffix, under which anyone can register a domain.`,
    )
  }
  return spellings(host).map((one) => (port === null ? one : `${one}:${Number(port)}`))
}

function spellings(host: string): string[] {
  const bare = host.replace(/^www\./, "")
  const above = bare === host ? null : getDomain(bare)
  // `www.gov.uk` is a site, but `gov.uk` is a suffix: without `www.`, the rest must be a domain.
  if (above === null) return [host]
  // A subdomain covers only itself, so the spellings with and without `www.` don't cover each other.
  return above === bare ? [bare] : [bare, host]
}

const MAX_PORT = 65_535

/** The top-level domains of RFC 1591. Intranets were already using later ones (`wiki`, `dev`) as host names. */
const OLD_TOP_LEVEL = /^(com|edu|net|org|gov|mil|int|[a-z]{2}|xn--.*)$/

/** An entry without its scheme and its trailing slash. */
const bareText = (entry: string): string =>
  entry
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/$/, "")

/** Splits off the text after the colon, which is the port; an IPv6 address has its port after the brackets. */
function withoutPort(text: string): { readonly name: string; readonly port: string | null } {
  const [, name, port] = /^(\[[^\]]*\]|[^:[\]]*):([^:/?#]*)$/.exec(text) ?? []
  return name === undefined || port === undefined ? { name: text, port: null } : { name, port }
}

/** The host that the given text names, or `null` if it is not a host. */
function hostOf(text: string): string | null {
  const address = text.replace(/^\[(.*)\]$/, "$1")
  if (isIP(address) === 6 && !address.includes("%")) return new URL(`http://[${address}]`).hostname
  // The parser would drop or move characters that are not allowed in a host name.
  if (/[\s/\\:?#@*%[\]<>^|]/.test(text)) return null
  const ascii = domainToASCII(text).replace(/\.$/, "")
  const plain = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
  return plain.test(ascii) && ascii.length <= 253 ? ascii : null
}
