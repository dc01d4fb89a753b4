import { getDomain, parse } from "tldts"

/** The place of a page on the web: its host, the registrable domain above it (the host itself if there is none), and its port. */
export interface Place {
  readonly host: string
  readonly domain: string
  /** The default port of the scheme if the address has none. */
  readonly port: number
}

/** Matches every host in these domains, and these exact hosts, on one port or, if `port` is `null`, on any. */
export interface DomainRule {
  readonly domains: readonly string[]
  readonly hosts: readonly string[]
  readonly port: number | null
}

/** The rules for a list of domains, one for each port; a host needs to match only one of them. */
export type DomainRules = readonly DomainRule[]

export function placeOf(url: string): Place {
  const { hostname, port, protocol } = new URL(url)
  const host = hostName(hostname)
  return {
    host,
    domain: getDomain(host) ?? host,
    port: port === "" ? DEFAULT_PORTS[protocol]! : Number(port),
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

/**
 * A registrable domain matches itself and all its subdomains; any other host matches only itself: a subdomain, an IP
 * address, `localhost`, or a public suffix such as `co.uk`, whose pages have no common owner.
 *
 * Only the registry part (ICANN) of the public suffix list counts. Suffixes that companies entered for their customers
 * (`github.io`) are domains like any other: listing one means all sites there.
 *
 * A port after a name (`example.com:8443`, `[::1]:8080`) restricts it to that port; a name without one means all ports.
 */
export function domainRules(listed: readonly string[]): DomainRules {
  const byPort = Map.groupBy(listed.map(hostAndPort), ({ port }) => port)
  const registrable = ({ host }: HostAndPort) => getDomain(host) === host
  return [...byPort].map(([port, names]) => ({
    domains: names.filter(registrable).map(({ host }) => host),
    hosts: names.filter((name) => !registrable(name)).map(({ host }) => host),
    port,
  }))
}

export interface HostAndPort {
  readonly host: string
  /** `null` for any port. */
  readonly port: number | null
}

/** A listed domain split into its parts, with the host in the spelling of {@link hostName}. */
export function hostAndPort(listed: string): HostAndPort {
  const [, name = listed, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(listed.trim()) ?? []
  return { host: hostName(name), port: port === undefined ? null : Number(port) }
}

/** Whether this is a name under which registries let others register names: `com`, `co.uk`. */
export function isPublicSuffix(host: string): boolean {
  const name = hostName(host)
  const { publicSuffix, isIcann } = parse(name)
  return isIcann === true && publicSuffix === name
}

export const matchesDomains = ({ host, domain, port }: Place, rules: DomainRules): boolean =>
  rules.some(
    (rule) =>
      (rule.port === null || rule.port === port) &&
      (rule.domains.includes(domain) || rule.hosts.includes(host)),
  )

/**
 * The spelling that `URL.hostname` returns, without a final dot: lower case, ASCII (RFC 3492), no port. Text that isn't
 * a host stays unchanged and matches nothing.
 */
export function hostName(text: string): string {
  const trimmed = text.trim().replace(/\.$/, "")
  const bare = trimmed.match(/:/g)?.length ?? 0
  const bracketed = bare > 1 && !trimmed.startsWith("[") ? `[${trimmed}]` : trimmed
  if (/[/?#@\\]/.test(bracketed)) return trimmed
  return URL.parse(`http://${bracketed}`)?.hostname.replace(/\.$/, "") || trimmed
}
