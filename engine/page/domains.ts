import { getDomain, parse } from "tldts"

/** Where a page stands: its host, and the registrable domain above it (the host itself when it has none). */
export interface Place {
  readonly host: string
  readonly domain: string
}

/** What a list of domains matches: every host of these domains, and these hosts alone. */
export interface DomainRules {
  readonly domains: readonly string[]
  readonly hosts: readonly string[]
}

export function placeOf(url: string): Place {
  const host = hostName(new URL(url).hostname)
  return { host, domain: getDomain(host) ?? host }
}

/**
 * A registrable domain matches itself and all its subdomains, any other host itself only: a subdomain, an
 * address, `localhost`, and a public suffix such as `co.uk`, under which nobody's pages belong together.
 *
 * Of the public suffix list the part of the registries counts (ICANN). Suffixes that companies entered for
 * their customers (`github.io`) are domains like any other: listing one means all sites there.
 */
export function domainRules(listed: readonly string[]): DomainRules {
  const names = listed.map(hostName)
  const registrable = (host: string) => getDomain(host) === host
  return { domains: names.filter(registrable), hosts: names.filter((host) => !registrable(host)) }
}

/** True for a name under which registries let others register: `com`, `co.uk`. */
export function isPublicSuffix(host: string): boolean {
  const name = hostName(host)
  const { publicSuffix, isIcann } = parse(name)
  return isIcann === true && publicSuffix === name
}

export const matchesDomains = ({ host, domain }: Place, { domains, hosts }: DomainRules): boolean =>
  domains.includes(domain) || hosts.includes(host)

/**
 * The spelling that `URL.hostname` gives, without a final dot: lower case, ASCII (RFC 3492), no port. Text
 * that is no host stays as it is and matches nothing.
 */
export function hostName(text: string): string {
  const trimmed = text.trim().replace(/\.$/, "")
  const bare = trimmed.match(/:/g)?.length ?? 0
  const bracketed = bare > 1 && !trimmed.startsWith("[") ? `[${trimmed}]` : trimmed
  if (/[/?#@\\]/.test(bracketed)) return trimmed
  return URL.parse(`http://${bracketed}`)?.hostname.replace(/\.$/, "") || trimmed
}
