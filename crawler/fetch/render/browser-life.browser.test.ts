import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { toPageUrl } from "#engine"
import { until } from "#base/testing/until.ts"
import { AddressGuard } from "../guard/address-guard.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { browserProcesses, profilesOf, signalBrowsers } from "../../testing/browser-processes.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { article, startTestSite } from "../../testing/test-site.ts"
import { Renderer, type RendererOptions } from "./renderer.ts"

const browserPath = await findTestBrowser()

describe("the browser", { tags: ["chromium"] }, () => {
  // Any browser that starts in the same folder removes leftovers there, including those of other tests that are
  // running.
  const folder = temporaryFolder()
  beforeAll(() => void vi.stubEnv("TMPDIR", folder.path))
  afterAll(() => {
    vi.unstubAllEnvs()
    folder[Symbol.dispose]()
  })

  test("starts with the first page, is replaced after a number of pages, and quits when idle", async () => {
    await using fixture = await opened({ pages: 2, pagesPerBrowser: 2, idleMs: 200 })
    expect(await browserProcesses()).toEqual([])
    const browsers = new Set<string>()
    const done = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const result = await fixture.render()
        for (const profile of await profiles(process.pid)) browsers.add(profile)
        return result.kind
      }),
    )
    expect(done).toEqual(["rendered", "rendered", "rendered"])
    expect(browsers.size).toBeGreaterThan(1)
    expect(fixture.mostAtOnce()).toBeLessThanOrEqual(2)
    await until(async () => (await browserProcesses()).length === 0)
    await expect.poll(() => profiles(process.pid)).toEqual([])
    expect(await fixture.render()).toMatchObject({ kind: "rendered" })
  })

  test("names the setting to change when the temporary folder's path is too long to start", async () => {
    await using fixture = await opened({})
    const long = join(folder.path, "a".repeat(60))
    await mkdir(long)
    vi.stubEnv("TMPDIR", long)
    expect(await fixture.render()).toMatchObject({
      kind: "no-browser",
      detail: expect.stringContaining("set TMPDIR to a folder whose path is at most 59 bytes long") as string,
    })
    vi.stubEnv("TMPDIR", folder.path)
  })

  test("does not outlive a killed process, whatever its page is doing; if it hangs, it is gone before the next one starts", async () => {
    const child = await startChild()
    const pid = child.pid ?? 0
    const [busy, hung] = (await profiles(pid)) as [string, string]
    expect((await browserProcesses(busy)).length).toBeGreaterThan(0)
    await signalBrowsers("SIGSTOP", hung)
    child.kill("SIGKILL")
    await once(child, "exit")
    await until(async () => (await browserProcesses(busy)).length === 0)
    expect(await profiles(pid)).toHaveLength(2)
    expect((await browserProcesses(hung)).length).toBeGreaterThan(0)
    await using fixture = await opened({})
    expect(await fixture.render()).toMatchObject({ kind: "rendered" })
    expect(await browserProcesses(profilesOf(pid))).toEqual([])
    expect(await profiles(pid)).toEqual([])
  })
})

async function profiles(owner: number): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(profilesOf(owner)))
}

/** A process with two browsers, each with an open page whose script never ends. */
async function startChild(): Promise<ChildProcess> {
  const program = `
    import { PageReader } from "${new URL("../visit/reader.ts", import.meta.url).href}"
    import { testConfig } from "${new URL("../../testing/crawl-fixture.ts", import.meta.url).href}"
    import { startTestSite } from "${new URL("../../testing/test-site.ts", import.meta.url).href}"
    let called = 0
    const site = await startTestSite({
      "/": "<p>Busy</p><script>fetch('/called').then(() => { for (;;); })</script>",
      "/called": (_, response) => { response.end(); called += 1; if (called === 2) setTimeout(() => console.log("busy"), 300) },
    })
    const config = testConfig({ FOSSICK_BROWSER_PATH: ${JSON.stringify(browserPath)}, FOSSICK_RENDER_TIMEOUT_MS: "600000" })
    const visit = () => new PageReader(config).visit(site.url("/"), { rendering: "browser" })
    console.error(await Promise.race([visit(), visit()]))
    process.exit(1)`
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  // The process ends early only if the page could not be opened, and in that case it has printed why.
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("the page with the endless script is closed"))),
  ])
  return child
}

async function opened(options: Partial<RendererOptions>) {
  let open = 0
  let most = 0
  const site = await startTestSite({
    "/wait": async (_, response) => {
      most = Math.max(most, (open += 1))
      await sleep(100)
      open -= 1
      response.end()
    },
  })
  const guard = new AddressGuard({ allowed: [site.authority], connections: 4, connectTimeoutMs: 30_000 })
  const renderer = new Renderer({
    userAgent: "FossickBot/1.0",
    browserPath: browserPath ?? "",
    pages: 1,
    memoryMb: 1000,
    ...options,
  })
  const body = new TextEncoder().encode(article("Windmills", { head: `<script>fetch("/wait")</script>` }))
  return {
    mostAtOnce: () => most,
    render: () =>
      renderer.render({
        guard,
        party: renderer,
        document: { kind: "fetched", url: toPageUrl(site.url("/"))!, status: 200, headers: {}, body },
        follow: () => Promise.reject(new Error("it goes nowhere")),
        maxChars: 1_000_000,
        timeoutMs: 120_000,
      }),
    async [Symbol.asyncDispose]() {
      await renderer[Symbol.asyncDispose]()
      await guard[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}
