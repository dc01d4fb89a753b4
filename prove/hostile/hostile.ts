import { existsSync } from "node:fs"
import { FakeInternet, PUBLIC_ADDRESS } from "#crawler/testing/fake-internet.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { startTestSite } from "#crawler/testing/test-site.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { PageReader } from "#crawler/visit/reader.ts"
import { serveApp } from "../../api/testing/serve-app.ts"
import type { Effort, Outcome, Proof } from "../proof.ts"
import { ADDRESSES } from "./addresses.ts"
import type { Arena, Attack } from "./attack.ts"
import { BODIES } from "./bodies.ts"
import { BROWSER_TRIES, browsing, closeBrowser, INNER_WORDS } from "./browsing.ts"
import { FACE_ATTACKS } from "./faces.ts"
import { LOGINS_AND_IMAGES } from "./logins.ts"
import { REQUESTS } from "./requests.ts"
import { closeBackups, SERVERS } from "./servers.ts"

export const proof: Proof = {
  title: "Hostile sites",
  promise:
    "Whatever a site, a page, a file or a caller tries, the appliance reaches no address that it may not, runs nothing, writes nothing, and stays within its " +
    "bounds of time and memory. A list of attacks is played over sockets of one machine against the reader, the address guard, a real Chromium and the " +
    "API; a private service beside them notes whether anybody asks it anything, and nobody may.",
  run,
}

/** Names of this internet. */
const NAMES = {
  "evil.example": PUBLIC_ADDRESS,
  localhost: ["127.0.0.1", "::1"],
  "localhost.": "127.0.0.1",
  "metadata.google.internal": "169.254.169.254",
}

/** Where archives with paths upwards would write to. */
const ESCAPED = "/tmp/fossick-escaped"

async function run(effort: Effort): Promise<Outcome> {
  const hasBrowser = (await findTestBrowser()) !== null
  const kinds = [
    ...ADDRESSES,
    ...BODIES,
    ...REQUESTS,
    ...SERVERS,
    ...LOGINS_AND_IMAGES,
    FACE_ATTACKS,
    ...(hasBrowser ? [browsing(effort.scale)] : []),
  ]
  const rows: (string | number)[][] = []
  const faults: string[] = []
  await using arena = await openArena(effort.scale)
  try {
    for (const { kind, must, attacks } of kinds) {
      const before = faults.length
      for (const attack of attacks) {
        const fault = await played(attack, arena)
        if (fault !== null) faults.push(`${kind}: ${attack.name}: ${fault}`)
      }
      const count = kind === "pages in a browser" ? BROWSER_TRIES : attacks.length
      rows.push([kind, must, count, count - (faults.length - before)])
      effort.tell(`${kind}: ${count} attacks, ${faults.length - before} faults`)
    }
  } finally {
    await closeBrowser()
    closeBackups()
  }
  const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
  rows.push(["all", "", sum(2), sum(3)])
  return { columns: ["attacks of this kind", "what must happen", "played", "held off"], rows, faults }
}

/** @returns the fault; null when it was held off, and nobody asked the private service */
export async function played(attack: Attack, arena: Arena): Promise<string | null> {
  arena.inner.requests.length = 0
  const fault = await attack.play(arena).catch((error: unknown) => `it threw ${String(error)}`)
  if (arena.inner.requests.length > 0)
    return `the private service was asked ${arena.inner.requests.join(" ")}`
  if (existsSync(ESCAPED)) return "a file was written outside"
  return fault
}

/** `allowed`: networks that the reader may reach; none but for a look whether the attacks would arrive. */
export async function openArena(scale: number, allowed = ""): Promise<Arena & AsyncDisposable> {
  await using made = new AsyncDisposableStack()
  const evil = made.use(await startTestSite({}))
  const inner = made.use(await startTestSite({ "*": `<p>${INNER_WORDS}</p>` }))
  const internet = made.use(new FakeInternet(NAMES))
  const config = testConfig({
    FOSSICK_ALLOWED_NETWORKS: allowed,
    FOSSICK_FETCH_TIMEOUT_MS: "15000",
    FOSSICK_READ_TIMEOUT_MS: "15000",
    FOSSICK_READER_THREADS: "1",
  })
  const reader = made.use(new PageReader(config, { resolve: internet.resolve }))
  const app = made.use(await serveApp({ reader }))
  const kept = made.move()
  return {
    evil,
    inner,
    internet,
    reader,
    app,
    scale,
    at: (path) => `http://evil.example:${evil.authority.split(":")[1]}${path}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
