import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { cacheUses } from "#base/flow/memory/cache-memory.ts"

import { serveApp, TEST_KEY } from "../../testing/serve-app.ts"
// The caches that a process loads with its index, its live reader, its peers and its programs.
import "#crawler/fetch/robots/robots.ts"
import "#crawler/upkeep/reread/rereader.ts"
import "#engine/adapters/embedded/lance/tables.ts"
import "#engine/adapters/embedded/files/page-store.ts"
import "#engine/search/query-vectors.ts"
import "#engine/search/second-reading/late-reader.ts"
import "#engine/text/analysis/stem.ts"
import "../../services/federation/federation.ts"
import "../../identity/oauth/client-documents.ts"

const HANDBOOK = readFileSync(join(import.meta.dirname, "../../../docs/bounds.md"), "utf8")

/** The names in the first column of the tables of bounds, each with its whole row. */
function documented(): ReadonlyMap<string, string> {
  const tables = HANDBOOK.split(/\n\n+/).filter((part) => part.startsWith("| bound |"))
  const rows = tables.flatMap((table) => table.split("\n").slice(2))
  return new Map(rows.map((row) => [/^\| `([a-z-]+)` \|/.exec(row)?.[1] ?? row, row]))
}

/** Each bound's value for one metric of a running appliance. */
function valuesOf(metrics: string, metric: string): ReadonlyMap<string, number> {
  const lines = metrics.matchAll(new RegExp(`^fossick_bound_${metric}\\{bound="([^"]+)"\\} (\\S+)$`, "gm"))
  return new Map([...lines].map(([, bound, value]) => [bound!, Number(value)]))
}

test("the handbook lists exactly the limits that the metrics have", async () => {
  await using app = await serveApp({
    room: { freeBytes: 5e9, use: { usedBytes: 1e9, mostBytes: 9e9 }, isLow: () => false },
    firecrawl: {
      store: { storedBytes: async () => ({ bytes: 1, most: 2 }) },
      secretOf: () => null,
      start: () => ({}),
    } as never,
  })
  const response = await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${TEST_KEY}` } })
  const metrics = await response.text()
  const used = valuesOf(metrics, "used")
  expect([...used.keys()].sort()).toEqual([...documented().keys()].sort())
  expect(used.size).toBeGreaterThanOrEqual(30)
  const limits = valuesOf(metrics, "limit")
  expect([...limits.keys()]).toEqual([...used.keys()])
  // The memory for an open index is known only once this process has opened one, which another test file might have
  // done.
  const unlimited = [...limits].filter(([, limit]) => !(limit > 0)).map(([bound]) => bound)
  expect(unlimited.filter((bound) => bound !== "memory-cache-index")).toEqual([])
  expect([...used].filter(([bound, value]) => !(value <= limits.get(bound)!))).toEqual([])
  expect(
    [...cacheUses().keys()].map((kind) => `memory-cache-${kind}`).filter((bound) => !used.has(bound)),
  ).toEqual([])
})
