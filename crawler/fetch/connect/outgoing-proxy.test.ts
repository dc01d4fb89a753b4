import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { freePort } from "#base/testing/free-port.ts"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../settings.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { startSecureSite } from "../../testing/secure-site.ts"
import { startTestProxy } from "../../testing/test-proxy.ts"
import { article, html, startTestSite } from "../../testing/test-site.ts"
import { PageReader } from "../visit/reader.ts"
import { openSourceReader } from "../visit/source-reader.ts"
import { makeCertificate } from "./make-certificate.ts"

const PASSWORD = "s3cret p@ss:word"
const CREDENTIALS = `crawler:${PASSWORD}`
const page = html(article("Anchors"))
const nowhere = () => ({ status: 502 })

/** A reader that uses the proxy; no private network is allowed unless stated. */
function readerThrough(
  authority: string,
  more: Record<`FOSSICK_${string}`, string> = {},
  resolve?: FakeInternet["resolve"],
): PageReader {
  return new PageReader(
    testConfig({
      FOSSICK_ALLOWED_NETWORKS: "",
      FOSSICK_PROXY: `http://crawler:${encodeURIComponent(PASSWORD)}@${authority}`,
      ...more,
    }),
    { resolve },
  )
}

describe("the outgoing proxy", () => {
  test("is asked for the checked address, and the site for its name", async () => {
    using internet = new FakeInternet({ "docs.example": PUBLIC_ADDRESS })
    await using site = await startTestSite({ "/a": page })
    await using proxy = await startTestProxy(CREDENTIALS, () => ({ port: Number(new URL(site.origin).port) }))
    await using reader = readerThrough(proxy.authority, {}, internet.resolve)
    expect(await reader.read("http://docs.example/a")).toMatchObject({ kind: "read" })
    expect(proxy.tunnels).toEqual([`${PUBLIC_ADDRESS}:80`])
    expect(proxy.others).toEqual([])
    expect(internet.lookups).toEqual(["docs.example"])
  })

  test("carries secure connections, whose certificate must match the name", async () => {
    using internet = new FakeInternet({ "docs.example": PUBLIC_ADDRESS, "other.example": PUBLIC_ADDRESS })
    using folder = temporaryFolder()
    await using state = await CrawlFixture.open()
    const own = makeCertificate({ subject: "docs", names: ["docs.example"] })
    await using site = await startSecureSite(own)
    await using proxy = await startTestProxy(CREDENTIALS, () => ({ port: site.port }))
    const caFile = join(folder.path, "ca.pem")
    writeFileSync(caFile, own.cert)
    await using reader = await openSourceReader(
      defineSource({ seeds: ["https://docs.example/"], caFile }),
      testConfig({
        FOSSICK_ALLOWED_NETWORKS: "",
        FOSSICK_PROXY: `http://crawler@${proxy.authority}`,
        FOSSICK_PROXY_PASSWORD_FILE: passwordFile(folder.path),
      }),
      { db: state.db, author: "operator", first: "unkept", env: {}, resolve: internet.resolve },
    )
    expect(await reader.read("https://docs.example/")).toMatchObject({ kind: "read" })
    expect(await reader.read("https://other.example/")).toMatchObject({
      because: "tls",
      detail: expect.stringContaining("is for docs.example, not for other.example"),
    })
    expect(proxy.tunnels).toEqual([`${PUBLIC_ADDRESS}:443`, `${PUBLIC_ADDRESS}:443`])
  })

  test.each([
    "http://127.0.0.1:9/",
    "http://rebound.example/",
    "http://10.0.0.7/",
    "http://169.254.169.254/",
  ])("is never asked for an address that the guard rejects: %s", async (url) => {
    using internet = new FakeInternet({ "rebound.example": "192.168.7.7" })
    await using proxy = await startTestProxy(CREDENTIALS, nowhere)
    for (const lookup of ["here", "proxy"] as const) {
      // If the proxy resolves names, only the proxy knows their addresses.
      if (lookup === "proxy" && url.includes("rebound")) continue
      await using reader = readerThrough(proxy.authority, { FOSSICK_PROXY_LOOKUP: lookup }, internet.resolve)
      expect(await reader.read(url)).toMatchObject({ because: "blocked-address" })
    }
    expect(proxy.tunnels).toEqual([])
  })

  test("is bypassed for allowed private networks and for exceptions", async () => {
    using internet = new FakeInternet({
      "wiki.lan": "127.0.0.1",
      "direct.example": PUBLIC_ADDRESS,
      "near.org": PUBLIC_ADDRESS,
    })
    await using site = await startTestSite({ "/a": page })
    const { port } = new URL(site.origin)
    await using proxy = await startTestProxy(CREDENTIALS, nowhere)
    await using reader = readerThrough(
      proxy.authority,
      { FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8,near.org", FOSSICK_PROXY_EXCEPT: "*.example" },
      internet.resolve,
    )
    for (const host of ["127.0.0.1", "wiki.lan", "direct.example", "near.org"]) {
      expect(await reader.read(`http://${host}:${port}/a`)).toMatchObject({ kind: "read" })
    }
    expect(proxy.tunnels).toEqual([])
  })

  test("resolves names only when configured to", async () => {
    using internet = new FakeInternet({ localhost: "127.0.0.1" })
    await using site = await startTestSite({ "/a": page })
    await using proxy = await startTestProxy(CREDENTIALS, () => ({ port: Number(new URL(site.origin).port) }))
    await using reader = readerThrough(proxy.authority, { FOSSICK_PROXY_LOOKUP: "proxy" }, internet.resolve)
    expect(await reader.read("http://unknown-here.example/a")).toMatchObject({ kind: "read" })
    expect(proxy.tunnels).toEqual(["unknown-here.example:80"])
    expect(internet.lookups).not.toContain("unknown-here.example")
    expect(await reader.read("http://metadata.google.internal/")).toMatchObject({
      because: "blocked-address",
    })
    expect(await reader.read("http://localhost:9/")).toMatchObject({ because: "blocked-address" })
    expect(proxy.tunnels).toHaveLength(1)
  })

  test("reports its refusals, and no failure contains its password", async () => {
    using internet = new FakeInternet({ "docs.example": PUBLIC_ADDRESS })
    await using strict = await startTestProxy("crawler:another", nowhere)
    await using closed = await startTestProxy(null, () => ({ status: 403 }))
    const gone = { authority: `127.0.0.1:${await freePort()}` }
    const ends = []
    for (const { authority } of [strict, closed, gone]) {
      await using reader = readerThrough(authority, {}, internet.resolve)
      ends.push(await reader.read("https://docs.example/"))
    }
    const details = ends.map((end) => (end as { detail?: string }).detail)
    expect(ends.map((end) => (end as { because?: string }).because)).toEqual([
      "refused",
      "refused",
      "refused",
    ])
    expect(details).toEqual([
      `the proxy ${strict.authority} rejected the user name or password in FOSSICK_PROXY (407)`,
      `the proxy ${closed.authority} answered 403 when asked to connect to ${PUBLIC_ADDRESS}:443`,
      `the proxy ${gone.authority} cannot be reached (ECONNREFUSED)`,
    ])
    expect(JSON.stringify(ends)).not.toMatch(/s3cret|p@ss|p%40ss|Y3Jhd2xlcj/)
  })

  test("with an invalid setting is rejected without repeating it", () => {
    const wrong = (value: string) => () => readSettings(crawlerSettings, { FOSSICK_PROXY: value })
    for (const value of [
      "socks5://u:hidden@proxy:1080",
      "proxy:hidden",
      "http://u:hidden@p/path",
      "http://u:hid%den@p:1",
    ]) {
      expect(wrong(value)).toThrow(/FOSSICK_PROXY (?:must be|has a %)/)
      expect(wrong(value)).not.toThrow(/hidden|hid%den/)
    }
  })
})

function passwordFile(folder: string): string {
  const file = join(folder, "proxy-password")
  writeFileSync(file, `${PASSWORD}\n`)
  return file
}
