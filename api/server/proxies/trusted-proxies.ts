import { BlockList, isIP } from "node:net"

/** Addresses of trusted proxies. */
export type ProxyList = readonly string[]

/** @throws Error naming the expected form, if an entry is neither an IP address nor a range (CIDR). */
export function checkProxies(entries: ProxyList): ProxyList {
  blockListOf(entries)
  return entries
}

/** Whether an address, as a socket reports it, belongs to a trusted proxy. */
export function proxyTest(entries: ProxyList): (address: string) => boolean {
  const list = blockListOf(entries)
  return (address) => {
    const bare = withoutMapping(address)
    const version = isIP(bare)
    return version !== 0 && list.check(bare, version === 4 ? "ipv4" : "ipv6")
  }
}

/** The IPv4 address that a dual-stack socket shows as `::ffff:10.0.0.1`. */
export const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** An IPv4 address, or the network of an IPv6 address: its first 64 bits, all of whose addresses usually belong to one caller (RFC 6177). */
export function callerOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [before = "", after] = address.replace(/%.*/, "").split("::")
  const first = before === "" ? [] : before.split(":")
  const last = after === undefined || after === "" ? [] : after.split(":")
  const left = 8 - first.length - last.length
  return [...first, ...Array.from({ length: Math.max(0, left) }, () => "0"), ...last].slice(0, 4).join(":")
}

/** The caller that proxies name in `X-Forwarded-For`: the last address that is not a proxy, since the caller may have made up the addresses before it. */
export function callerBehind(
  forwardedFor: string | string[] | undefined,
  isProxy: (address: string) => boolean,
): string | undefined {
  const known = listOf(forwardedFor).map((address) =>
    withoutMapping(address.replace(/^\[(.*)\](:\d+)?$/, "$1")),
  )
  // An entry that isn't an address hides all hosts before it.
  const end = known.findLastIndex((address) => isIP(address) === 0) + 1
  const readable = known.slice(end)
  return readable.findLast((address) => !isProxy(address)) ?? readable[0]
}

/** The entries of a header that contains a list. */
export const listOf = (value: string | string[] | undefined): string[] =>
  [value ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

function blockListOf(entries: ProxyList): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", prefix, ...more] = entry.split("/")
    const version = isIP(address)
    const bits = prefix === undefined ? NaN : Number(prefix)
    const family = version === 4 ? "ipv4" : "ipv6"
    const isRange = /^\d{1,3}$/.test(prefix ?? "") && bits <= (version === 4 ? 32 : 128)
    if (version === 0 || more.length > 0 || (prefix !== undefined && !isRange)) {
      throw new Error("must be IP addresses or ranges such as 10.0.0.0/8, separated by commas")
    }
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, bits, family)
  }
  return list
}
