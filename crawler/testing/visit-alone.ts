import { setTimeout as sleep } from "node:timers/promises"
import { PageReader } from "../fetch/visit/reader.ts"
import { testConfig } from "./crawl-fixture.ts"

// Visits the given addresses, all at once, and reports by how many megabytes the peak memory exceeded the memory that
// this process used before.

const [timeoutMs, ...urls] = process.argv.slice(2)
await using reader = new PageReader({ ...testConfig(), readerThreads: 1 })
// The first page is read beforehand, because reading it starts the thread.
await reader.read(urls[0]!)
const before = process.memoryUsage.rss()
let most = before
let bodies = 0
const stop = new AbortController()
const looking = (async () => {
  while (!stop.signal.aborted) {
    most = Math.max(most, process.memoryUsage.rss())
    bodies = Math.max(bodies, process.memoryUsage().arrayBuffers)
    await sleep(10)
  }
})()
const kinds = await Promise.all(
  urls.slice(1).map(async (url) => (await reader.read(url, { timeoutMs: Number(timeoutMs) })).kind),
)
stop.abort()
await looking
const mb = (bytes: number) => Math.round(bytes / 2 ** 20)
console.log(JSON.stringify({ grownMb: mb(most - before), bodiesMb: mb(bodies), kinds }))
