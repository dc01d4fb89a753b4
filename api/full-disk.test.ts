import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { isAlive } from "./testing/appliance.ts"

// Runs the whole appliance on a small file system of its own, filled to the last byte. Only the appliance's processes
// see the mount; the test reaches it through /proc.

const FOSSICK = join(import.meta.dirname, "../command/fossick.js")
const MB = 1_000_000
const SIZE_MB = 240
/** Twice as much as the appliance may write on its own meanwhile: logs of its databases, and copies of small files. */
const MIN_FREE_MB = 60
const WARN_FREE_MB = 100

const folder = temporaryFolder()
const disk = join(folder.path, "disk")
mkdirSync(disk)
const inMount = (then: string) => [
  "-rm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${SIZE_MB}m none "$0" && ${then}`,
  disk,
]

let site: TestSite
let child: ChildProcess | undefined
let text = ""

/** The path under which the test sees the file system. */
const outside = () => `/proc/${child!.pid}/root${disk}`
const free = () => {
  const { bavail, bsize } = statfsSync(outside())
  return bavail * bsize
}

beforeAll(async () => {
  site = await startTestSite({ "/": article("Bees", { text: "Bees make honey of nectar." }) })
})
afterAll(async () => {
  if (child?.pid !== undefined && isAlive(-child.pid)) process.kill(-child.pid, "SIGKILL")
  await site[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Fills the disk until only this many bytes are left. */
function fill(name: string, left: number): void {
  const file = openSync(join(outside(), name), "a")
  try {
    while (free() > left) writeSync(file, Buffer.alloc(Math.min(MB, free() - left)))
  } finally {
    closeSync(file)
  }
}

test("a full disk stops crawls but no searches", { tags: ["mounts"] }, async () => {
  const key = "a-key-that-only-this-test-knows"
  child = spawn("unshare", inMount(`exec "${process.execPath}" "${FOSSICK}" start`), {
    env: {
      ...CHILD_ENV,
      FOSSICK_DATA_DIR: join(disk, "data"),
      FOSSICK_PORT: "0",
      FOSSICK_HANDBOOK: "off",
      FOSSICK_UNIT_READER: "off",
      FOSSICK_API_KEY: key,
      FOSSICK_METRICS: "open",
      FOSSICK_MIN_FREE_MB: `${(MIN_FREE_MB / SIZE_MB) * 100}%`,
      FOSSICK_WARN_FREE_MB: String(WARN_FREE_MB),
      FOSSICK_ALLOWED_NETWORKS: site.authority,
    },
    // Runs in its own process group, so that any process it leaves behind can be found.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const up = Promise.withResolvers<void>()
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk) => {
      text += String(chunk)
      if (text.includes("Ctrl-C")) up.resolve()
    })
  }
  const exited = once(child, "exit")
  await Promise.race([up.promise, exited.then(() => Promise.reject(new Error(text)))])
  const url = /Address +(\S+)/.exec(text)![1]!
  const call = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.text() }
  }
  const search = async () => (await call("/search", { query: "what do bees make?" })).status
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec((await call("/metrics")).body)?.[1])
  const job = async () => (await call("/admin/jobs?limit=1")).body
  const calls = async () => Number(/"usage":(\d+)/.exec((await call("/usage")).body)?.[1])

  expect((await call("/admin/sources/bees", { seeds: site.origin }, "PUT")).status).toBeLessThan(300)
  expect((await call("/admin/sources/bees/run", {})).status).toBeLessThan(300)
  await expect.poll(job).toContain('"finished"')
  expect((await call("/search", { query: "what do bees make?" })).body).toContain("nectar")
  const { body: well } = await call("/readyz")
  expect(JSON.parse(well)).toMatchObject({ status: "ready", checks: { disk: "ok" } })

  // The disk is filling up: the operator gets a warning.
  fill("zeroth", (WARN_FREE_MB - 10) * MB)
  await expect.poll(async () => (await call("/readyz")).body).toContain("the disk is filling up (")
  await expect.poll(() => text).toContain("less than FOSSICK_WARN_FREE_MB")
  expect((await call("/admin/sources/bees/run", {})).status).toBeLessThan(300)
  await expect.poll(job).toContain('"finished"')

  // The disk is nearly full: bulk writes wait.
  fill("first", (MIN_FREE_MB / 2) * MB)
  await expect.poll(async () => (await call("/readyz")).body).toContain("the disk is nearly full (")
  expect(await call("/admin/sources/bees/run", {})).toMatchObject({ status: 202 })
  await expect.poll(() => text).toContain(`The disk of ${join(disk, "data")} is nearly full`)
  expect(await job()).toContain('"queued"')
  expect((await call("/readyz")).status).toBe(200)
  expect(await metric("fossick_disk_free_bytes")).toBeLessThan(MIN_FREE_MB * MB)

  // The disk is full: searches still work, and no process dies.
  fill("second", 0)
  let answered = 1
  while ((await metric("fossick_calls_uncounted")) === 0) {
    expect(await search()).toBe(200)
    answered += 1
    expect(answered).toBeLessThan(2000)
  }
  for (let more = 0; more < 20; more++) {
    expect(await search()).toBe(200)
    answered += 1
  }
  await expect.poll(() => text).toContain(`The disk is full: 0 MB left for ${join(disk, "data")}`)
  expect(text).not.toMatch(/ended unexpectedly|no transaction is active/)
  expect((await call("/readyz")).status).toBe(200)

  // There is room again: all waiting calls are counted and the crawl continues, without help.
  for (const name of ["zeroth", "first", "second"]) rmSync(join(outside(), name))
  await expect.poll(() => metric("fossick_calls_uncounted")).toBe(0)
  expect(await calls()).toBe(answered)
  await expect.poll(job).toContain('"finished"')
  await expect.poll(() => text).toContain("the disk has free space again")

  child.kill("SIGTERM")
  await exited
  expect(child.exitCode).toBe(0)
})
