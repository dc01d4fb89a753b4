import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** IPv6 ranges whose addresses contain an IPv4 address that a gateway would connect to. */
const NAT64_LOCAL = ipaddr.parseCIDR("64:ff9b:1::/48")
const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96")

/**
 * Whether an address belongs to the public internet. ipaddr.js names the special-purpose ranges of RFC 6890; only plain
 * unicast is public. 6to4, Teredo and NAT64 (RFC 6052) have their own ranges and are refused entirely, whatever they
 * wrap.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false
  if (address.kind() === "ipv4") return true
  const ipv6 = address as ipaddr.IPv6
  return !ipv6.match(NAT64_LOCAL) && !ipv6.match(IPV4_COMPATIBLE)
}

/**
 * Addresses at which clouds hand out a machine's credentials: AWS, Google, Azure, DigitalOcean, Oracle, OpenStack
 * (169.254.169.254), AWS containers (169.254.170.2, .23), Tencent (169.254.0.23), Scaleway (169.254.42.42), Azure's
 * agent (168.63.129.16), Oracle's older service (192.0.0.192) and Alibaba (100.100.100.200), with their IPv6 forms.
 */
const METADATA = [
  "169.254.169.0/24",
  "169.254.170.0/24",
  "169.254.0.23/32",
  "169.254.42.42/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "100.100.100.200/32",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:42::42/128",
  "fe80::a9fe:a9fe/128",
].map((range) => ipaddr.parseCIDR(range))

const METADATA_NAMES = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "instance-data.ec2.internal",
  "instance-data",
])

/** Whether the address is that of a cloud's metadata service, even if it is wrapped in IPv6. */
export function isMetadata(address: Address): boolean {
  const carried = address.kind() === "ipv6" ? carriedAddress(address as ipaddr.IPv6) : null
  return [address, ...(carried ? [carried] : [])].some((one) =>
    METADATA.some(
      ([network, bits]) =>
        one.kind() === network.kind() && one.match([network, bits] as [ipaddr.IPv4, number]),
    ),
  )
}

/** Whether the host, without brackets and final dot, is the name or address of a metadata service. */
export function isMetadataHost(host: string): boolean {
  return ipaddr.isValid(host) ? isMetadata(ipaddr.process(host)) : METADATA_NAMES.has(host.toLowerCase())
}

/** The IPv4 address inside an IPv6 one that a gateway would unwrap: in 6to4 it follows the first two bytes, in all others it is at the end. */
function carriedAddress(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray()
  const isWrapper =
    ["6to4", "rfc6052", "ipv4Mapped"].includes(address.range()) ||
    address.match(NAT64_LOCAL) ||
    address.match(IPV4_COMPATIBLE)
  if (!isWrapper) return null
  return new ipaddr.IPv4(address.range() === "6to4" ? bytes.slice(2, 6) : bytes.slice(12))
}

/** The network of every public address: all of them count as one network, so that a site may move within the internet. */
export const PUBLIC = "public"

/**
 * The network of an address, used to decide whether a host has moved: {@link PUBLIC}, or the usual segment of a private
 * network, `10.20.30.0/24` or `fd00:1:2:3::/64`.
 */
export function networkOf(address: Address): string {
  if (isPublic(address)) return PUBLIC
  const [form, bits] = address.kind() === "ipv4" ? [ipaddr.IPv4, 24] : [ipaddr.IPv6, 64]
  return `${form.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
}
