import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"

import { keptSecret, openCallerHash, openHumanHash } from "./human-ids.ts"
import { readTracking } from "./tracking.ts"

test("the id of a person is hashed before anything can log it, and nothing of it stays in the request", async () => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    seen.push(
      readTracking(request, (id) => `hash of ${id}`),
      JSON.stringify([request.headers, request.rawHeaders]),
    )
    response.end()
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const ask = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers })
  await ask({
    "X-Human-Id": " ada@example.org ",
    // A space character that HTTP itself does not treat as one.
    "X-Project-ID": "\u{a0}pumps\u{a0}",
    "X-Session-Id": "s".repeat(300),
    "X-Other": "kept",
  })
  await ask({ "X-Other": "kept" })
  server.close()
  expect(seen[0]).toEqual({ project: "pumps", session: "s".repeat(200), human: "hash of ada@example.org" })
  expect(seen[1]).not.toMatch(/ada@example|human-id/i)
  expect(seen[1]).toContain("kept")
  expect(seen[1]).toContain("pumps")
  // No user means no hash, so that anonymous callers don't share one.
  expect(seen[2]).toEqual({ project: "", session: "", human: "" })
})

test("persons are identified by hashes that only this appliance can compute, across restarts", async () => {
  const dirs = [0, 1].map(() => mkdtempSync(join(tmpdir(), "fossick-humans-")))
  const [here, elsewhere] = await Promise.all(dirs.map((dir) => openStateStore(dir)))
  const hash = await openHumanHash(here!, "")
  expect(hash("ada")).toMatch(/^[0-9a-f]{32}$/)
  expect((await openHumanHash(here!, ""))("ada")).toBe(hash("ada"))
  expect(hash("bob")).not.toBe(hash("ada"))
  expect((await openHumanHash(elsewhere!, ""))("ada")).not.toBe(hash("ada"))
  // Two appliances with the same secret give a user the same hash.
  const known = await openHumanHash(here!, "secret of ours")
  expect((await openHumanHash(elsewhere!, "secret of ours"))("ada")).toBe(known("ada"))
  expect(known("ada")).not.toBe(hash("ada"))
  expect(await keptSecret(here!, "other")).toHaveLength(32)
  expect(await keptSecret(here!, "other")).toEqual(await keptSecret(here!, "other"))
  expect(await keptSecret(here!, "other")).not.toEqual(await keptSecret(here!, "human-ids"))
  // People who are known must have the same hash after an update: the secrets must be found under these names, and ids
  // hashed in this way.
  const under = async (name: string, id: string) =>
    createHmac("sha256", await keptSecret(here!, name))
      .update(id)
      .digest("hex")
      .slice(0, 32)
  expect(hash("ada")).toBe(await under("human-ids", "ada"))
  expect((await openCallerHash(here!))("192.0.2.1")).toBe(await under("callers", "192.0.2.1"))
  here!.close()
  elsewhere!.close()
  for (const dir of dirs) rmSync(dir, { recursive: true })
})
