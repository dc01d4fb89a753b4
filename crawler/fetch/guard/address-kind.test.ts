import ipaddr from "ipaddr.js"
import { describe, expect, test } from "vitest"
import { isMetadata, isMetadataHost, isPublic, networkOf } from "./address-kind.ts"
import { AddressGuard } from "./address-guard.ts"
import { AllowedNetworks, isPrivateByName, parseRule, portOf } from "./allowed-networks.ts"

const EVERYTHING = ["0.0.0.0/0", "::/0"]

describe("a cloud metadata service", () => {
  test.each([
    ["AWS, Google, Azure and others", "169.254.169.254"],
    ["the same network", "169.254.169.1"],
    ["AWS containers", "169.254.170.2"],
    ["AWS pods", "169.254.170.23"],
    ["Tencent", "169.254.0.23"],
    ["Scaleway", "169.254.42.42"],
    ["Azure's agent", "168.63.129.16"],
    ["Oracle, before", "192.0.0.192"],
    ["Alibaba", "100.100.100.200"],
    ["AWS over IPv6", "fd00:ec2::254"],
    ["AWS containers over IPv6", "fd00:ec2::23"],
    ["Google over IPv6", "fd20:ce::254"],
    ["Scaleway over IPv6", "fd00:42::42"],
    ["Oracle over IPv6", "fe80::a9fe:a9fe"],
    ["in a mapped address", "::ffff:169.254.169.254"],
    ["in a compatible one", "::169.254.169.254"],
    ["behind NAT64", "64:ff9b::a9fe:a9fe"],
    ["behind a local NAT64", "64:ff9b:1::a9fe:a9fe"],
    ["behind 6to4", "2002:a9fe:a9fe::1"],
  ])("is never read, even if all networks are allowed: %s, %s", async (_, address) => {
    expect(isMetadata(ipaddr.parse(address))).toBe(true)
    expect(isMetadataHost(address)).toBe(true)
    await using guard = new AddressGuard({ allowed: EVERYTHING, connections: 1, connectTimeoutMs: 1000 })
    const url = new URL(address.includes(":") ? `http://[${address}]/` : `http://${address}/`)
    expect(() => guard.dispatcherFor(url)).toThrow("is a cloud metadata service, which is never read")
    await expect(guard.open(url)).rejects.toThrow("is a cloud metadata service, which is never read")
  })

  test.each([
    "169.254.168.254",
    "169.254.171.2",
    "169.254.0.24",
    "169.254.42.43",
    "168.63.129.17",
    "192.0.0.193",
    "100.100.100.201",
    "fd00:ec3::254",
    "fd20:ce::253",
    "fd00:42::43",
    "fe80::a9fe:a9ff",
    // The last bytes of these addresses are those of 169.254.169.254, but no gateway unwraps them.
    "2a00::a9fe:a9fe",
    "fd00::a9fe:a9fe",
    "2002:7f00:1::a9fe:a9fe",
  ])("is not mistaken for %s, which may be allowed", async (address) => {
    expect(isMetadata(ipaddr.parse(address))).toBe(false)
    await using guard = new AddressGuard({ allowed: EVERYTHING, connections: 1, connectTimeoutMs: 1000 })
    const url = new URL(address.includes(":") ? `http://[${address}]/` : `http://${address}/`)
    expect(() => guard.dispatcherFor(url)).not.toThrow()
  })

  test.each([
    "metadata.google.internal",
    "METADATA.goog",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "instance-data.ec2.internal",
    "instance-data",
  ])("is recognised by its name: %s", async (name) => {
    expect(isMetadataHost(name)).toBe(true)
    await using guard = new AddressGuard({ allowed: ["*.internal"], connections: 1, connectTimeoutMs: 1000 })
    expect(() => guard.dispatcherFor(new URL(`http://${name}./`))).toThrow("cloud metadata service")
    // A metadata service can never be allowed, not even by mistake.
    expect(() => parseRule(name)).toThrow(
      `must not name a cloud metadata service, which is never read; "${name.toLowerCase()}" is one`,
    )
    expect(() => parseRule(`${name}:80`)).toThrow("cloud metadata service")
  })

  test("cannot be allowed by its address, but other names can", () => {
    for (const entry of ["169.254.169.254", "169.254.169.254:80", "[fd00:ec2::254]:80", "fd00:ec2::254"])
      expect(() => parseRule(entry)).toThrow("cloud metadata service")
    expect(isMetadataHost("data.example")).toBe(false)
  })
})

test("a name that resolves to a metadata service is rejected, and so are names without an allowed address", async () => {
  const names: Record<string, string[]> = {
    "cloud.example": ["169.254.169.254"],
    "both.example": ["169.254.169.254", "10.0.0.7"],
    "near.example": ["10.0.0.8", "10.0.0.9"],
    "nowhere.example": [],
  }
  const answers = async (allowed: string[], host: string) => {
    await using guard = new AddressGuard({
      allowed,
      connections: 1,
      connectTimeoutMs: 1,
      resolve: (name, _, callback) =>
        callback(
          null,
          names[name]!.map((address) => ({ address, family: 4 })),
        ),
    })
    return await guard.open(new URL(`http://${host}:9/`)).then(
      () => "connected",
      (error: Error) => error.message,
    )
  }
  expect(await answers(EVERYTHING, "cloud.example")).toBe(
    "cloud.example is a cloud metadata service, which is never read",
  )
  expect(await answers([], "near.example")).toBe(
    "near.example has no public address (10.0.0.8, 10.0.0.9); allow it with FOSSICK_ALLOWED_NETWORKS",
  )
  expect(await answers([], "both.example")).toContain("both.example has no public address")
  expect(await answers([], "nowhere.example")).toContain("nowhere.example has no public address")
})

describe("the network of an address", () => {
  test.each([
    ["93.184.216.34", "public"],
    ["2606:2800:220:1::1", "public"],
    ["10.20.30.40", "10.20.30.0/24"],
    ["127.0.0.1", "127.0.0.0/24"],
    ["fd00:1:2:3:4:5:6:7", "fd00:1:2:3::/64"],
    ["::1", "::/64"],
    ["64:ff9b:1::1", "64:ff9b:1::/64"],
  ])("%s is in %s", (address, network) => {
    expect(networkOf(ipaddr.parse(address))).toBe(network)
    expect(isPublic(ipaddr.parse(address))).toBe(network === "public")
  })
})

describe("an operator's allowlist", () => {
  const names = (entry: string, address: string) => new AllowedNetworks([entry]).name(new URL(address))

  test.each([
    ["intranet", "http://intranet/", true],
    ["Intranet", "http://INTRANET./", true],
    ["intranet", "http://my.intranet/", false],
    ["*.corp.example", "https://wiki.corp.example/", true],
    ["*.corp.example", "https://a.wiki.corp.example/", true],
    ["*.corp.example", "https://corp.example/", false],
    ["*.corp.example", "https://evilcorp.example/", false],
    ["wiki:443", "https://wiki/", true],
    ["wiki:443", "http://wiki/", false],
    ["wiki:80", "http://wiki/", true],
    ["wiki:8080", "http://wiki:8080/", true],
    ["10.0.0.0/8", "http://10.9.9.9:1234/", true],
    ["10.0.0.0/8", "http://11.0.0.1/", false],
    ["10.0.0.7", "http://10.0.0.7/", true],
    ["10.0.0.7", "http://10.0.0.8/", false],
    ["10.0.0.7", "http://wiki/", false],
    ["10.0.0.7:80", "http://10.0.0.7/", true],
    ["10.0.0.7:80", "https://10.0.0.7/", false],
    ["[fd00::7]", "http://[fd00::7]/", true],
    ["fd00::7", "http://[fd00::8]/", false],
    ["10.0.0.7", "http://[::ffff:10.0.0.7]/", true],
    ["[fd00::]/8", "http://[fd12::1]/", true],
    ["[fd00::7]:81", "http://[fd00::7]:81/", true],
    ["fd00::/8", "http://10.0.0.7/", false],
    ["0.0.0.0/0", "http://[fd00::7]/", false],
  ])("%s for %s: %s", (entry, address, isAllowed) => {
    expect(names(entry, address)).toBe(isAllowed)
  })

  test("admits a name that resolves into it only when the entry has no port", () => {
    const near = ipaddr.parse("10.0.0.7")
    expect(new AllowedNetworks(["10.0.0.7"]).includeAddress(near)).toBe(true)
    expect(new AllowedNetworks(["10.0.0.7:80"]).includeAddress(near)).toBe(false)
    expect(new AllowedNetworks(["wiki"]).includeAddress(near)).toBe(false)
    expect(parseRule("wiki").matchesAddress(near)).toBe(false)
    expect(parseRule("10.0.0.7").matchesHost("10.0.0.7")).toBe(false)
  })

  test.each([
    "a b",
    "wiki:123456",
    "wiki:port",
    ":80",
    "",
    "http://intranet",
    "[fd00::7",
    "a/b",
    "10.[0.0.0]/8",
    // With a stray bracket, the entry would name a different host from the one the operator sees.
    "[wiki",
    "wiki]",
    "[[wiki]",
  ])("rejects %j", (entry) => {
    expect(() => parseRule(entry)).toThrow(
      `must be addresses, CIDR ranges or host names; "${entry}" isn't one`,
    )
  })
})

test("this machine's own names are private, and names that only look similar are not", () => {
  const isPrivate = (host: string) => isPrivateByName(new URL(`http://${host}/`))
  expect(["localhost", "app.localhost", "localhost.", "127.0.0.1", "[::1]"].map(isPrivate)).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect(["localhost.example", "mylocalhost", "93.184.216.34", "example.com"].map(isPrivate)).toEqual(
    Array.from({ length: 4 }, () => false),
  )
  expect(["http://a/", "https://a/", "http://a:81/"].map((url) => portOf(new URL(url)))).toEqual([
    "80",
    "443",
    "81",
  ])
})
