import type { LookupAddress } from "node:dns"
import { expect, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { AddressGuard } from "./address-guard.ts"
import { choicesFor, closedBecause, OpenedNetworks, openedTo } from "./opened-networks.ts"

const ONLY_ADDRESS = "must be a single address of this machine, a /32"

test.each([
  ["10.20.30.7/32", null],
  ["10.20.30.0/24", null],
  ["192.168.0.0/16", null],
  ["172.16.0.0/16", null],
  ["100.64.1.2/32", null],
  ["127.0.0.1/32", null],
  ["fd00::1/128", null],
  ["fd00:1:2::/48", null],
  ["10.0.0.0/8", "must be a /16 or narrower"],
  ["fd00::/8", "must be a /48 or narrower"],
  ["127.0.0.0/24", ONLY_ADDRESS],
  ["10.20.30.7/24", "must be written as 10.20.30.0/24"],
  ["10.20.30.7", "must be a network in CIDR notation, such as 10.20.30.7/32"],
  ["wiki.lan", "must be a network in CIDR notation, such as 10.20.30.7/32"],
])("opening %s is answered with: %s", (network, why) => {
  expect(closedBecause(network)).toBe(why)
})

test.each([
  "169.254.169.254/32",
  "169.254.1.0/24",
  "fe80::1/128",
  "fd00:ec2::254/128",
  "100.100.100.200/32",
  "0.0.0.0/32",
  "224.0.0.1/32",
  "93.184.216.34/32",
  "::ffff:10.0.0.1/128",
])("%s can never be opened", (network) => {
  expect(closedBecause(network)).toMatch(/can't be allowed here|must be written/)
})

test("an address may be opened alone or with its subnet, a loopback address alone, and others not at all", () => {
  expect(choicesFor("10.20.30.7")).toEqual(["10.20.30.7/32", "10.20.30.0/24"])
  expect(choicesFor("fd00:1:2:3::9")).toEqual(["fd00:1:2:3::9/128", "fd00:1:2:3::/64"])
  expect(choicesFor("127.0.0.1")).toEqual(["127.0.0.1/32"])
  expect(choicesFor("::1")).toEqual(["::1/128"])
  for (const address of ["169.254.169.254", "fe80::1", "93.184.216.34"])
    expect(choicesFor(address)).toEqual([])
})

test("opened networks are stored once each until they are closed; the operator can close them all at once", async () => {
  using folder = temporaryFolder()
  using db = await openStateStore(folder.path)
  const opened = new OpenedNetworks(db)
  const wiki = { network: "10.20.30.7/32", port: 8080, host: "wiki.lan" }
  const { id } = await opened.open(wiki)
  expect(await opened.open({ ...wiki, host: "other.lan" })).toMatchObject({ id, host: "wiki.lan" })
  await opened.open({ ...wiki, port: 8081 })
  expect(await opened.list()).toMatchObject([wiki, { ...wiki, port: 8081 }])
  expect(await openedTo({ adminNetworks: true }, db)).toHaveLength(2)
  expect(await openedTo({ adminNetworks: false }, db)).toEqual([])
  expect([await opened.close(id), await opened.close(id), await opened.get(id)]).toEqual([true, false, null])
})

/** How a guard with an opened network treats an address: where the connection goes, or why there is none. */
async function reach(url: string, addresses: readonly string[] = []): Promise<string> {
  await using guard = new AddressGuard({
    allowed: [],
    opened: [
      { network: "10.20.30.0/24", port: 1 },
      { network: "127.0.0.1/32", port: 1 },
    ],
    connections: 1,
    connectTimeoutMs: 1000,
    resolve: (_, __, done) =>
      done(
        null,
        addresses.map((address): LookupAddress => ({ address, family: 4 })),
      ),
  })
  // Nothing listens on port 1 here; a refusal by the system shows that the guard let the request through.
  return await guard.open(new URL(url)).then(
    () => "connected",
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
}

test("a network is open on its port alone, for its addresses and for names that resolve to them", async () => {
  expect(await reach("http://127.0.0.1:1/")).toBe("ECONNREFUSED")
  expect(await reach("http://near.example:1/", ["127.0.0.1"])).toBe("ECONNREFUSED")
  expect(await reach("http://127.0.0.1:2/")).toBe("BLOCKED_ADDRESS")
  expect(await reach("http://near.example:2/", ["127.0.0.1"])).toBe("BLOCKED_ADDRESS")
  expect(await reach("http://127.0.0.2:1/")).toBe("BLOCKED_ADDRESS")
  expect(await reach("http://near.example:1/", ["10.20.31.1"])).toBe("BLOCKED_ADDRESS")
  expect(await reach("http://near.example:1/", ["169.254.169.254"])).toBe("BLOCKED_ADDRESS")
  // If one of a name's addresses is in an opened network, the other addresses are left out.
  expect(await reach("http://near.example:1/", ["10.20.31.1", "127.0.0.1"])).toBe("ECONNREFUSED")
})
