import { expect, test } from "vitest"

import { faultsOf, flyBlind } from "./air-gap.ts"
import { outsideIn } from "./outside.ts"

test(
  "an appliance without a network does everything, and attempts no outside connections",
  { tags: ["namespaces", "strace"] },
  async () => {
    const seen = await flyBlind({ tell: () => {} })
    expect(faultsOf(seen)).toEqual([])
    expect(seen.used.map(({ part }) => part)).toEqual([
      "start",
      "crawl",
      "search",
      "answer",
      "research",
      "live page",
      "console",
      "ledger",
      "stop",
    ])
    expect(seen.withoutRoute).toBe(0)
    // If strace is installed, it recorded connections to this machine.
    expect(seen.outside === null || seen.connections > 10).toBe(true)
  },
)

test("outside connections are distinguished from local ones", () => {
  const seen = outsideIn([
    `connect(21, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
connect(22, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1 ENOENT
sendto(3, {{len=20, type=RTM_GETADDR}}, 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20`,
    `connect(23, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = -1 ENETUNREACH
connect(24, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.53")}, 16) = -1 ENETUNREACH
connect(25, {sa_family=AF_INET6, sin6_port=htons(80), inet_pton(AF_INET6, "::1", &sin6_addr)}, 28) = 0`,
  ])
  expect(seen).toEqual({ outside: ["connect 2001:db8::1", "connect 192.0.2.53"], connections: 4 })
})
