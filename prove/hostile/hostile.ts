import { existsSync } from "node:fs"
import { FakeInternet, PUBLIC_ADDRESS } from "#crawler/testing/fake-internet.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { startTestSite } from "#crawler/testing/test-site.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { CrawlShare } from "#crawler/crawl/together/crawl-share.ts"
import { defineSource } from "#crawler/source.ts"
import { CrawlFixture, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { PageReader } from "#crawler/fetch/visit/reader.ts"
import { serveApp } from "../../api/testing/serve-app.ts"
import type { Effort, Outcome, Proof } from "../proof.ts"
import { ADDRESSES } from "./addresses.ts"
import { type Arena, type Attack, fewer, OUTER_ADDRESS, SILENT_ADDRESS } from "./attack.ts"
import { bodies, DOCUMENT_MEMORY_MB } from "./bodies.ts"
import { browsing, closeBrowser } from "./browsing.ts"
import { FACE_ATTACKS } from "./faces.ts"
import { LOGINS_AND_IMAGES } from "./logins.ts"
import { closeNamed, names } from "./names.ts"
import { startPrivateService } from "./private-service.ts"
import { rebindingInBrowser, rebindings } from "./rebinding.ts"
import { REQUESTS } from "./requests.ts"
import { closeBackups, SERVERS } from "./servers.ts"

export const proof: Proof = {
  title: "Hostile sites",
  promise:
    "No site, page, file or caller can make the appliance reach a forbidden address, run code, write a file, or exceed its limits of time and " +
    "memory. A list of attacks is run over local sockets against the reader, the address guard, the API and a real Chromium. A private " +
    "service alongside them records every connection and datagram that reaches it: a single one counts as a fault. Memory is measured across all " +
    "processes.",
  run,
}

/** Host names on the simulated internet. */
const HOSTS = {
  "evil.example": PUBLIC_ADDRESS,
  localhost: ["127.0.0.1", "::1"],
  "localhost.": "127.0.0.1",
  "metadata.google.internal": "169.254.169.254",
}

/** The addresses of this machine that stand in for public addresses. */
const STAND_INS = {
  [PUBLIC_ADDRESS]: "127.0.0.1",
  [OUTER_ADDRESS]: "127.0.0.2",
  [SILENT_ADDRESS]: "127.0.0.3",
}

/** Where archives with paths that lead upwards would write files. */
const ESCAPED = "/tmp/fossick-escaped"

async function run(effort: Effort): Promise<Outcome> {
  const hasBrowser = (await findTestBrowser()) !== null
  const kinds = [
    ...ADDRESSES,
    ...rebindings(effort.scale),
    ...bodies(effort.scale),
    ...REQUESTS,
    ...names(effort.scale),
    ...SERVERS,
    ...LOGINS_AND_IMAGES,
    FACE_ATTACKS,
    ...(hasBrowser ? [browsing(effort.scale), rebindingInBrowser(effort.scale)] : []),
  ]
  const rows: (string | number)[][] = []
  const faults: string[] = []
  await using arena = await openArena(effort.scale)
  try {
    for (const { kind, must, attacks: all, shortly = 1 } of kinds) {
      const before = faults.length
      const attacks = fewer(all, effort.scale, shortly)
      for (const attack of attacks) {
        const fault = await played(attack, arena)
        if (fault !== null) faults.push(`${kind}: ${attack.name}: ${fault}`)
      }
      const count = attacks.reduce((sum, { tries = 1 }) => sum + tries, 0)
      rows.push([kind, must, count, count - (faults.length - before)])
      effort.tell(`${kind}: ${count} attacks, ${faults.length - before} faults`)
    }
  } finally {
    await closeBrowser()
    await closeNamed()
    closeBackups()
  }
  const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
  rows.push(["total", "", sum(2), sum(3)])
  return { columns: ["attack", "required result", "attempts", "as required"], rows, faults }
}

/** @returns the fault; null if the attack was repelled and nothing reached the private service */
export async function played(attack: Attack, arena: Arena): Promise<string | null> {
  const { reached } = arena.inner
  reached.length = 0
  const fault = await attack.play(arena).catch((error: unknown) => `it threw ${String(error)}`)
  if (reached.length > 0) return `the private service was reached: ${reached.join(", ")}`
  if (existsSync(ESCAPED)) return "a file was written outside"
  return fault
}

/** `allowed`: networks that the reader may reach; none, except when checking that the attacks would succeed otherwise. */
export async function openArena(scale: number, allowed = ""): Promise<Arena & AsyncDisposable> {
  await using made = new AsyncDisposableStack()
  const evil = made.use(await startTestSite({}))
  const inner = made.use(await startPrivateService())
  const outer = made.use(await startTestSite({}, { host: "127.0.0.2", port: inner.port }))
  const internet = made.use(new FakeInternet(HOSTS, STAND_INS))
  const config = testConfig({
    FOSSICK_ALLOWED_NETWORKS: allowed,
    FOSSICK_FETCH_TIMEOUT_MS: "15000",
    FOSSICK_READ_TIMEOUT_MS: "15000",
    FOSSICK_READER_THREADS: "1",
    FOSSICK_DOCUMENT_MEMORY_MB: String(DOCUMENT_MEMORY_MB),
  })
  const share = made.use(new CrawlShare(config))
  const crawls = made.use(await CrawlFixture.open())
  const reader = made.use(new PageReader(config, { places: share.reading }))
  const app = made.use(await serveApp({ reader }))
  const kept = made.move()
  return {
    evil,
    inner,
    outer,
    internet,
    networks: config.allowedNetworks,
    reader,
    crawl: async (source) => {
      const { db, jobs, engine } = crawls
      const { id } = await jobs.enqueue(defineSource(source))
      const { signal } = new AbortController()
      await runJob(id, { db, jobs, engine, config, signal, share, whenAborted: "queued" })
    },
    app,
    scale,
    at: (path, host = "evil.example") => {
      internet.lead(host, PUBLIC_ADDRESS)
      return `http://${host}:${evil.authority.split(":")[1]}${path}`
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
