import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { OutgoingProxy } from "../connect/outgoing-proxy.ts"
import { AddressGuard } from "./address-guard.ts"
import type { NetworkChangedError } from "./blocked-address.ts"
import { PinnedNetworks } from "./pinned-networks.ts"
import { SourceHosts, type SourceHostsOptions } from "./source-hosts.ts"

const dir = mkdtempSync(join(tmpdir(), "fossick-hosts-"))
const db = await openStateStore(dir)
const pins = new PinnedNetworks(db)
afterAll(() => {
  db.close()
  rmSync(dir, { recursive: true })
})
beforeEach(async () => {
  await pins.forget("docs")
})

const NET = "93.184.216.34"
const OTHER_NET = "2606:2800:220:1::1"
const HERE = "10.0.0.7"
const BESIDE = "10.0.0.8"
const THERE = "10.0.1.7"

function hosts(more: Partial<SourceHostsOptions> = {}): SourceHosts {
  return new SourceHosts({
    source: { name: "docs", seeds: ["https://docs.example/start"] },
    author: "operator",
    landings: ["http://landing.example:81/"],
    pins,
    first: "by-hand",
    ...more,
  })
}

/** Returns the given addresses that may be connected to. */
async function admit(
  one: SourceHosts,
  addresses: readonly string[],
  role: "seed" | "landing" = "seed",
  open: readonly string[] = [],
): Promise<readonly string[]> {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  return (await one.admit("Docs.example.", found, role, (address) => open.includes(address.toString()))).map(
    ({ address }) => address,
  )
}
const pinned = (author: "operator" | "api" = "operator") => pins.of("docs", author, "docs.example")

describe("the first run of a source", () => {
  test("allows a private seed when the operator wrote the source, and remembers its network", async () => {
    expect(await admit(hosts(), [HERE, BESIDE])).toEqual([HERE, BESIDE])
    expect(await pinned()).toEqual(["10.0.0.0/24"])
  })

  test("allows only public addresses when an admin key wrote the source, or after a redirect", async () => {
    expect(await admit(hosts({ author: "api" }), [HERE])).toEqual([])
    expect(await admit(hosts({ author: "api" }), [HERE, NET])).toEqual([NET])
    expect(await pinned("api")).toEqual(["public"])
    expect(await admit(hosts(), [NET, HERE], "landing")).toEqual([NET])
    expect(await pinned()).toEqual(["public"])
  })

  test("holds a second lookup to the network of the first, even when both arrive at once", async () => {
    const one = hosts()
    const [first, second] = await Promise.allSettled([admit(one, [NET]), admit(one, [HERE])])
    expect(first).toEqual({ status: "fulfilled", value: [NET] })
    expect(second).toMatchObject({
      reason: { message: expect.stringContaining("now resolves to the private network") },
    })
    expect(await pinned()).toEqual(["public"])
  })

  test("allows what the operator opened, whoever wrote the source", async () => {
    expect(await admit(hosts({ author: "api" }), [HERE, THERE], "seed", [THERE])).toEqual([THERE])
  })

  test("stores nothing when the lookup is not part of a run", async () => {
    expect(await admit(hosts({ first: "unkept" }), [HERE])).toEqual([HERE])
    expect(await pinned()).toBeNull()
    expect(await admit(hosts({ first: "public" }), [HERE])).toEqual([])
    expect(await admit(hosts({ first: "public" }), [HERE, NET])).toEqual([NET])
    expect(await pinned()).toBeNull()
    expect(await admit(hosts({ first: "by-schedule" }), [HERE])).toEqual([HERE])
    expect(await pinned()).toEqual(["10.0.0.0/24"])
  })

  test("finds no address, and only a later manual run may pin a private one", async () => {
    await hosts().noteUnresolved("DOCS.example.")
    expect(await pinned()).toEqual([])
    // Nobody is watching a scheduled run, and the name may belong to someone else by now.
    await expect(() => admit(hosts({ first: "by-schedule" }), [HERE])).rejects.toThrow(
      "docs.example had no address in the first run and now resolves to the private network 10.0.0.0/24; if this is expected, run fossick sources accept docs",
    )
    expect(await pinned()).toEqual([])
    expect(await admit(hosts({ first: "by-schedule" }), [HERE, NET])).toEqual([NET])
    await pins.forget("docs")
    await hosts().noteUnresolved("docs.example")
    expect(await admit(hosts(), [HERE])).toEqual([HERE])
    expect(await pinned()).toEqual(["10.0.0.0/24"])
    // A host that has an address does not lose it by being unavailable for a while.
    await hosts().noteUnresolved("docs.example")
    expect(await pinned()).toEqual(["10.0.0.0/24"])
  })
})

describe("a later run", () => {
  test("reads a host that is still public or still in its own network", async () => {
    await admit(hosts(), [NET])
    expect(await admit(hosts(), [OTHER_NET, HERE])).toEqual([OTHER_NET])
    await pins.forget("docs")
    await admit(hosts(), [HERE])
    expect(await admit(hosts(), [BESIDE, NET])).toEqual([BESIDE])
  })

  test.each([
    ["into a private network", NET, HERE, "public addresses", "the private network 10.0.0.0/24"],
    ["out of one", HERE, NET, "the private network 10.0.0.0/24", "public addresses"],
    [
      "from one to another",
      HERE,
      THERE,
      "the private network 10.0.0.0/24",
      "the private network 10.0.1.0/24",
    ],
  ])("rejects a host that has moved %s", async (_, before, after, was, is) => {
    await admit(hosts(), [before])
    const told: NetworkChangedError[] = []
    const later = hosts({ onMoved: (error) => told.push(error) })
    expect(later.hasMoved).toBe(false)
    await expect(() => admit(later, [after])).rejects.toThrow(
      `docs.example resolved to ${was} and now resolves to ${is}; if this is expected, run fossick sources accept docs`,
    )
    expect(later.hasMoved).toBe(true)
    expect(told.map(({ host, code, name }) => [host, code, name])).toEqual([
      ["docs.example", "BLOCKED_ADDRESS", "NetworkChangedError"],
    ])
    // Once the operator has accepted the new network, the host is read there.
    expect(await pins.forget("docs")).toBe(true)
    expect(await pins.forget("docs")).toBe(false)
    expect(await admit(hosts(), [after])).toEqual([after])
  })

  test("names each network once, and hides local networks from an admin key", async () => {
    await admit(hosts({ author: "api" }), [NET])
    await expect(() => admit(hosts({ author: "api" }), [HERE, BESIDE, THERE])).rejects.toThrow(
      /^docs\.example resolved to public addresses and now resolves to a private network; allow it with FOSSICK_ALLOWED_NETWORKS$/,
    )
    await admit(hosts(), [NET])
    await expect(() => admit(hosts(), [HERE, BESIDE, THERE])).rejects.toThrow(
      "now resolves to the private network 10.0.0.0/24 and the private network 10.0.1.0/24;",
    )
  })

  test("keeps to public addresses for sources written with an admin key and after redirects", async () => {
    await admit(hosts({ author: "api" }), [NET])
    expect(await admit(hosts({ author: "api" }), [OTHER_NET])).toEqual([OTHER_NET])
    await admit(hosts(), [NET], "landing")
    expect(await admit(hosts(), [OTHER_NET, HERE], "landing")).toEqual([OTHER_NET])
    // Even though a seed was in a private network, a redirect may not lead there.
    await pins.forget("docs")
    await admit(hosts(), [HERE])
    expect(await admit(hosts(), [HERE], "landing")).toEqual([])
  })

  test("keeps all of a host's networks when it resolves to only one of them, or to an opened one", async () => {
    expect(await admit(hosts(), [NET, HERE])).toEqual([NET, HERE])
    expect(await admit(hosts(), [NET])).toEqual([NET])
    expect(await admit(hosts(), [THERE], "seed", [THERE])).toEqual([THERE])
    expect(await pinned()).toEqual(["public", "10.0.0.0/24"])
    expect(await admit(hosts(), [HERE])).toEqual([HERE])
  })

  test("accepts a network after a failed first lookup, but pins it only in a kept run", async () => {
    await hosts().noteUnresolved("docs.example")
    expect(await admit(hosts({ first: "unkept" }), [THERE])).toEqual([THERE])
    expect(await pinned()).toEqual([])
    expect(await admit(hosts({ first: "public" }), [THERE, NET])).toEqual([NET])
    expect(await admit(hosts({ first: "by-schedule" }), [NET])).toEqual([NET])
    expect(await pinned()).toEqual(["public"])
  })

  test("reports no move for a host that no longer has an address", async () => {
    await admit(hosts(), [NET])
    expect(await admit(hosts(), [])).toEqual([])
    expect(hosts().hasMoved).toBe(false)
  })

  test("follows no redirect to a network that it may not read, even the first time", async () => {
    await expect(() => admit(hosts(), [HERE], "landing")).rejects.toThrow(
      "resolved to public addresses and now resolves to",
    )
    await pins.pin("docs", "api", "docs.example", ["10.0.0.0/24"])
    expect(await admit(hosts({ author: "api" }), [HERE])).toEqual([])
  })
})

describe("the hosts of a source", () => {
  test("are its seeds and the targets of their redirects, each on its own port", () => {
    const roleOf = (url: string) => hosts().roleOf(new URL(url))
    expect(roleOf("https://docs.example/any")).toBe("seed")
    expect(roleOf("https://docs.example.:443/any")).toBe("seed")
    expect(roleOf("http://docs.example/")).toBeNull()
    expect(roleOf("https://docs.example:444/")).toBeNull()
    expect(roleOf("http://landing.example:81/a")).toBe("landing")
    expect(roleOf("http://landing.example/a")).toBeNull()
    expect(roleOf("https://www.docs.example/")).toBeNull()
  })

  test("count as seeds when they are both", () => {
    const both = hosts({ landings: ["https://docs.example/home"] })
    expect(both.roleOf(new URL("https://docs.example/"))).toBe("seed")
    expect([...both.all()].map(({ url, role }) => [url.href, role])).toEqual([
      ["https://docs.example/start", "seed"],
    ])
  })

  test("may be private addresses on that port when the operator wrote them", async () => {
    const guard = (author: "operator" | "api") =>
      new AddressGuard({
        allowed: [],
        connections: 1,
        connectTimeoutMs: 1000,
        hosts: hosts({
          author,
          source: { name: "docs", seeds: ["http://10.0.0.7:81/"] },
          landings: ["http://10.0.0.9/"],
        }),
      })
    await using mine = guard("operator")
    await using another = guard("api")
    expect(() => mine.dispatcherFor(new URL("http://10.0.0.7:81/"))).not.toThrow()
    for (const refused of ["http://10.0.0.7/", "http://10.0.0.9/", "http://10.0.0.8:81/"])
      expect(() => mine.dispatcherFor(new URL(refused))).toThrow(
        `${new URL(refused).hostname} isn't a public address; allow it with FOSSICK_ALLOWED_NETWORKS`,
      )
    expect(() => another.dispatcherFor(new URL("http://10.0.0.7:81/"))).toThrow("isn't a public address")
  })

  test("are resolved before a run, and one that cannot be resolved is remembered", async () => {
    const found: Record<string, string> = {}
    const looked: string[] = []
    const check = async (more: Partial<SourceHostsOptions> = {}, allowed: string[] = []) => {
      const one = hosts({
        source: { name: "docs", seeds: ["https://docs.example/", "https://10.0.0.7/"] },
        landings: [],
        ...more,
      })
      await using guard = new AddressGuard({
        allowed,
        connections: 1,
        connectTimeoutMs: 1000,
        hosts: one,
        resolve: (name, _, callback) => {
          looked.push(name)
          const address = found[name]
          if (address) callback(null, [{ address, family: 4 }])
          else callback(Object.assign(new Error(`no ${name}`), { code: "ENOTFOUND" }), [])
        },
      })
      await guard.checkHosts()
    }
    await check()
    expect(looked).toEqual(["docs.example"])
    expect(await pinned()).toEqual([])
    found["docs.example"] = NET
    await check()
    expect(await pinned()).toEqual(["public"])
    found["docs.example"] = HERE
    await expect(check()).rejects.toThrow("docs.example resolved to public addresses and now resolves to")
    // The operator allowed the name, so the host may be anywhere.
    await check({}, ["docs.example"])
    expect(looked).toHaveLength(3)
    // A host that was refused from the start has not changed, and nothing is stored about it.
    await pins.forget("docs")
    await check({ author: "api" })
    expect(await pinned("api")).toBeNull()
    // Networks that the operator opened to everybody are an exception.
    await check({ author: "api" }, ["10.0.0.0/8"])
    expect(await pinned("api")).toEqual(["10.0.0.0/24"])
    // A host in a source that the operator wrote may be private from the first run on; a host that a redirect led to
    // may not.
    await check()
    expect(await pinned()).toEqual(["10.0.0.0/24"])
    found["landing.example"] = NET
    await check({ landings: ["http://landing.example/"] })
    expect(await pins.of("docs", "operator", "landing.example")).toEqual(["public"])
    await pins.forget("docs")
    found["landing.example"] = HERE
    await expect(check({ landings: ["http://landing.example/"] })).rejects.toThrow(
      "landing.example resolved to public addresses and now resolves to the private network 10.0.0.0/24",
    )
  })

  test("are read again after a move once the operator accepts it", async () => {
    await admit(hosts(), [NET])
    const one = hosts({ landings: [] })
    await using guard = new AddressGuard({
      allowed: [],
      connections: 1,
      connectTimeoutMs: 1000,
      hosts: one,
      resolve: (_name, _options, callback) => callback(null, [{ address: HERE, family: 4 }]),
    })
    await expect(guard.checkHosts()).rejects.toThrow("docs.example resolved to public addresses")
    await pins.forget("docs")
    await expect(guard.checkHosts()).resolves.toBeUndefined()
  })

  test("are left to a proxy that resolves names, except for hosts reached without the proxy", async () => {
    const looked: string[] = []
    const check = async (proxyLookup: "here" | "proxy", proxyExcept: readonly string[]) => {
      const proxy = OutgoingProxy.of({
        proxy: "http://proxy.example:3128",
        proxyPasswordFile: "",
        proxyExcept,
        proxyLookup,
      })
      await using guard = new AddressGuard({
        allowed: [],
        connections: 1,
        connectTimeoutMs: 1000,
        proxy,
        hosts: hosts({ landings: [] }),
        resolve: (name, _, callback) => {
          looked.push(name)
          callback(null, [{ address: NET, family: 4 }])
        },
      })
      await guard.checkHosts()
      return looked.splice(0)
    }
    expect(await check("proxy", [])).toEqual([])
    expect(await check("here", [])).toEqual(["docs.example"])
    expect(await check("proxy", ["docs.example"])).toEqual(["docs.example"])
  })

  test("survive upgrades, since their table has its own schema version", async () => {
    const kept = await statement(db, "select version from schema_version where part = 'networks'").get()
    expect(kept).toMatchObject({ version: 1 })
  })
})
