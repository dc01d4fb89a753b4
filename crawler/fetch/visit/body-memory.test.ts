import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { QueuedBudget } from "#base/flow/memory/queued-budget.ts"
import { fetchPage } from "../fetch.ts"
import { AddressGuard } from "../guard/address-guard.ts"
import { bytes, startTestSite } from "../../testing/test-site.ts"

const MB = 2 ** 20
const words = Buffer.alloc(9 * MB, "Many words of one page. ")
const gzipped = bytes(gzipSync(words), { "content-type": "text/plain", "content-encoding": "gzip" })
const plain = bytes(words, { "content-type": "text/plain" })

test.each([
  { sent: "gzipped", answer: gzipped },
  { sent: "as they are", answer: plain },
])("bodies sent $sent wait for each other when their memory is used up", async ({ answer }) => {
  await using site = await startTestSite({ "*": answer })
  await using guard = new AddressGuard({ allowed: [site.authority], connections: 8, connectTimeoutMs: 5000 })
  const budget = new QueuedBudget(20 * MB)
  let most = 0
  const fetches = Array.from({ length: 8 }, async (_, at) => {
    using memory = budget.open()
    const result = await fetchPage(site.url(`/${at}`) as PageUrl, {
      guard,
      memory,
      userAgent: "test",
      maxBytes: 10 * MB,
      maxRedirects: 0,
      timeoutMs: 60_000,
      accepts: () => true,
    })
    most = Math.max(most, budget.held)
    // Simulates reading the body while others continue for a moment.
    await new Promise((done) => setImmediate(done))
    most = Math.max(most, budget.held)
    return result.kind === "fetched" && result.body.byteLength
  })
  expect(await Promise.all(fetches)).toEqual(Array.from({ length: 8 }, () => words.byteLength))
  // The limit may be exceeded by at most one body.
  expect(most).toBeLessThan(30 * MB)
  expect(budget.held).toBe(0)
})

test("a body waiting for memory ends when its call ends", async () => {
  await using site = await startTestSite({ "*": plain })
  await using guard = new AddressGuard({ allowed: [site.authority], connections: 8, connectTimeoutMs: 5000 })
  const budget = new QueuedBudget(MB)
  using first = budget.open()
  expect(first.reserve(MB)).toBeNull()
  const { memory, fetching } = (() => {
    const account = budget.open()
    const options = {
      guard,
      memory: account,
      userAgent: "test",
      maxBytes: 10 * MB,
      maxRedirects: 0,
      timeoutMs: 300,
      accepts: () => true,
    }
    return { memory: account, fetching: fetchPage(site.url("/") as PageUrl, options) }
  })()
  expect(await fetching).toMatchObject({ kind: "failed", because: "timeout" })
  memory[Symbol.dispose]()
  expect(budget.held).toBe(MB)
})

test("simultaneous visits to large pages hold only a few of their bodies in memory", async () => {
  await using site = await startTestSite({ "/": "<p>Words.", "*": gzipped })
  const program = fileURLToPath(new URL("../../testing/visit-alone.ts", import.meta.url))
  const urls = [site.url("/"), ...Array.from({ length: 32 }, (_, at) => site.url(`/${at}`))]
  const { stdout } = await promisify(execFile)(process.execPath, [program, "2000", ...urls])
  const { bodiesMb, kinds } = JSON.parse(stdout)
  expect(kinds).toHaveLength(32)
  // 64 MB and one body, plus memory that is not garbage-collected yet; it would be 400 MB or more if each body were
  // fetched as soon as it is requested.
  expect(bodiesMb).toBeLessThan(280)
})
