import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { POOLS } from "#base/flow/fair-pool.ts"

import { ROOT, sourceFiles } from "./imports.ts"

// Resources that callers share are shared fairly: docs/credits-and-limits.md promises that for every pool.

/** Patterns for limits on concurrent work that don't use a FairPool. */
const LIMITS_OF_ITS_OWN: readonly RegExp[] = [
  // A queue of waiting work.
  /(?:waiting|queued?|queries|texts|lines?|calls|jobs|lost|turns)\)?\??\.shift\(/i,
  /\.push\((?:resolve|begin|wake)\)/,
  // A count of work in progress, compared with a number.
  /\b(?:running|active|watchers|busy|inFlight|underWay|streams|sockets|open)(?:\.size|\.length)?\s*(?:>=|<)\s*(?!0\b)[\w.#]*(?:most|max|limit|concurren|places|atOnce)/i,
  /\bclass \w*(?:Gate|Semaphore|Slots|Turns|Places|Limiter|Throttle)\b/,
  /from "(?:p-limit|p-queue|async-sema|async-mutex|bottleneck)"/,
]

/** Files that have such a limit anyway, and why no caller can use it up at the expense of others. */
const OTHERS: Readonly<Record<string, string>> = {
  "api/server/load/connections.ts": "an address has half of them",
  "api/server/load/turns.ts": "callers take turns to begin requests",
  "api/doors/x402/purchase/payer-limits.ts": "what one payer may have under way",
  "base/flow/fair-pool.ts": "the pool itself",
  "base/flow/fair-queue.ts": "in which parties take turns",
  "base/store/turns.ts": "statements of one store, in the order they come",
  "base/work/task-runner.ts": "keys take turns by key-turns.ts",
  "crawler/crawl/together/job-places.ts": "crawls of sources, which no caller begins",
  "crawler/crawl/discovery/discovery.ts": "sitemaps of one site, one after the other",
  "crawler/fetch/hosts/host-paces.ts": "the pace of a host, whoever reads it",
  "crawler/fetch/hosts/host-turns.ts": "the pace of a host, whoever reads it",
  "crawler/fetch/visit/reading-places.ts": "holds pools",
  "engine/adapters/server/page-writer.ts": "what crawls write",
  "engine/models/embedders/transformers-embedder.ts": "callers take turns text by text",
  "engine/models/rerankers/cross-encoder.ts": "callers take turns pair by pair",
}

const LEFT_OUT = /\.test\.ts$|(?:^|\/)testing\//
const files = sourceFiles().filter(
  (file) => /^(?:base|engine|crawler|api)\//.test(file) && !LEFT_OUT.test(file),
)
const textOf = (file: string): string =>
  readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")

test("no file except the listed ones limits concurrency without a pool", () => {
  const limiting = files.filter((file) => LIMITS_OF_ITS_OWN.some((way) => way.test(textOf(file))))
  expect(limiting.filter((file) => OTHERS[file] === undefined)).toEqual([])
  expect(Object.keys(OTHERS).filter((file) => !limiting.includes(file))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})

test("every pool is used somewhere, and has a row in the handbook", () => {
  const source = files.map(textOf).join("\n")
  const names = Object.keys(POOLS)
  const isOpened = (name: string) => new RegExp(`(?:new FairPool|keyTurns)\\(\\s*"${name}"`).test(source)
  expect(names.filter((name) => !isOpened(name))).toEqual([])
  const page = readFileSync(join(ROOT, "docs/credits-and-limits.md"), "utf8")
  const [shares = ""] = page.split("## Fair shares")[1]!.split("\n## ")
  expect([...shares.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)).toEqual(names)
})
