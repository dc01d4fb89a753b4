import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { trustAuthorities } from "#base/process/authorities.ts"
import { makeCertificate } from "../connect/make-certificate.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { startSecureSite } from "../../testing/secure-site.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { ReadingPlaces } from "../visit/reading-places.ts"
import { openSourceReader } from "../visit/source-reader.ts"

const browserPath = await findTestBrowser()

const folder = temporaryFolder()
const state = await CrawlFixture.open()
const root = makeCertificate({ subject: "Example Works Root", isAuthority: true })
const certificate = makeCertificate({ subject: "app", names: ["127.0.0.1"], issuer: root })
const client = makeCertificate({ subject: "fossick", issuer: root })
const expired = makeCertificate({
  subject: "app",
  names: ["127.0.0.1"],
  issuer: root,
  from: new Date("2024-01-01"),
  until: new Date("2025-01-01"),
})
const rootFile = join(folder.path, "root.pem")
writeFileSync(rootFile, root.cert)
const config = (more: Record<`FOSSICK_${string}`, string> = {}) =>
  testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "", ...more })

/** All sources share the browser, so it must not learn what each of them trusts. */
const places = new ReadingPlaces(config())

/** A page that gets its text from its own host, and also fetches from another host. */
const shell = (other: string) => `<!doctype html><html lang="en"><head><title>App</title></head><body>
<div id="root"></div><script type="module">
const words = await (await fetch("/data.json")).json()
const other = await fetch("${other}", { mode: "no-cors" }).then(() => "loaded", () => "refused")
root.innerHTML = "<main><h1>Looms</h1><p>" + words.text.repeat(6) + "</p><p>The other host was " + other + ".</p></main>"
</script></body></html>`

const app =
  (other: () => string) =>
  (request: { url?: string | undefined }, response: import("node:http").ServerResponse) => {
    if (request.url === "/") response.writeHead(200, { "content-type": "text/html" }).end(shell(other()))
    else if (request.url === "/data.json")
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ text: "A loom weaves threads into cloth, over and under, row upon row. " }))
    else response.writeHead(404).end()
  }

describe("pages of sites with their own certificates", { tags: ["chromium"] }, () => {
  afterAll(async () => {
    await places[Symbol.asyncDispose]()
    await state[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test("are read in a browser that trusts the source's authority and sends its client certificate", async () => {
    await using other = await startSecureSite(expired)
    await using site = await startSecureSite(certificate, {
      requestCert: true,
      rejectUnauthorized: true,
      ca: root.cert,
      answer: app(() => other.url("/tracker.js")),
    })
    const source = defineSource({
      seeds: [site.url("/")],
      rendering: "browser",
      caFile: rootFile,
      clientCert: { cert: "${CERT}", key: "${KEY}" },
    })
    await using reader = await openSourceReader(source, config(), {
      db: state.db,
      author: "operator",
      first: "unkept",
      places,
      env: { CERT: client.cert, KEY: client.key },
    })
    const result = await reader.read(site.url("/"))
    expect(result).toMatchObject({ kind: "read", reading: { rendered: true } })
    const { markdown } = (result as Extract<typeof result, { kind: "read" }>).reading.extracted
    expect(markdown).toContain("A loom weaves threads")
    expect(markdown).toContain("The other host was refused")
    expect(site.requests.filter(({ path }) => path === "/data.json")).toEqual([
      { path: "/data.json", client: "fossick" },
    ])
    expect(other.requests).toEqual([])
  })

  test("are read in a browser with FOSSICK_CA_FILE, and not without", async () => {
    await using site = await startSecureSite(certificate, { answer: app(() => "/none") })
    const read = async (more: Record<`FOSSICK_${string}`, string>) => {
      const source = defineSource({ seeds: [site.url("/")], rendering: "browser" })
      await using reader = await openSourceReader(source, config(more), {
        db: state.db,
        author: "operator",
        first: "unkept",
        places,
        env: {},
      })
      return await reader.read(site.url("/"))
    }
    expect(await read({})).toMatchObject({ kind: "failed", because: "tls" })
    trustAuthorities({ FOSSICK_CA_FILE: rootFile })
    expect(await read({ FOSSICK_CA_FILE: rootFile })).toMatchObject({
      kind: "read",
      reading: { rendered: true, extracted: { markdown: expect.stringContaining("A loom weaves") } },
    })
  })
})
