import { expect, test } from "vitest"

import { reachableHost } from "./reachable-host.ts"

test.each([
  ["127.0.0.1", "localhost"],
  ["0.0.0.0", "localhost"],
  ["::", "localhost"],
  ["192.168.1.7", "192.168.1.7"],
  ["fd00::7", "[fd00::7]"],
  ["search.lan", "search.lan"],
])("a server listening on %s is reached at %s", (host, reached) => {
  expect(reachableHost(host)).toBe(reached)
})
