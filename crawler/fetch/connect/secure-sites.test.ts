import { writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, describe, expect, test } from "vitest"
import { KnownError } from "#base/errors.ts"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../settings.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { readSourceSpec } from "../../sources/source-spec.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { startSecureSite, type SecureSite } from "../../testing/secure-site.ts"
import { openSourceReader } from "../visit/source-reader.ts"
import { makeCertificate } from "./make-certificate.ts"
import { statement } from "#base/store/testing/statement.ts"

const DAY_MS = 86_400_000
const folder = temporaryFolder()
const root = makeCertificate({ subject: "Example Works Root", isAuthority: true })
const middle = makeCertificate({ subject: "Example Works Issuing 2", isAuthority: true, issuer: root })
const stranger = makeCertificate({ subject: "Stranger Root", isAuthority: true })
const forLoopback = makeCertificate({ subject: "intranet", names: ["127.0.0.1"], issuer: root })
const file = (name: string, text: string | Buffer) => {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}
const rootFile = file("root.pem", `# our own authority\n${root.cert}`)
const state = await CrawlFixture.open()

afterAll(async () => {
  await state[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** The outcome of visiting the site's page in a run of the source. */
async function visited(site: SecureSite, spec: Partial<SourceSpec> = {}, env: NodeJS.ProcessEnv = {}) {
  const source = defineSource({ name: "intranet", seeds: [site.url("/")], ...spec })
  await using reader = await openSourceReader(source, testConfig(), {
    db: state.db,
    author: "operator",
    first: "unkept",
    env,
  })
  return await reader.read(site.url("/"))
}

describe("a site's certificate", () => {
  test("by an unknown authority names the authority and the setting that helps", async () => {
    await using site = await startSecureSite(forLoopback)
    const result = await visited(site)
    expect(result).toMatchObject({ kind: "failed", because: "tls" })
    const { detail } = result as { detail: string }
    expect(detail).toContain('issued by "Example Works Root"')
    expect(detail).toContain("FOSSICK_CA_FILE or the source's caFile")
    expect(site.requests).toEqual([])
  })

  test("with a chain names its last issuer too", async () => {
    const own = makeCertificate({ subject: "intranet", names: ["127.0.0.1"], issuer: middle })
    await using site = await startSecureSite(own, { chain: [middle] })
    expect(await visited(site)).toMatchObject({
      because: "tls",
      detail: expect.stringMatching(/issued by "Example Works Issuing 2", under "Example Works Root"/),
    })
    expect(await visited(site, { caFile: rootFile })).toMatchObject({ kind: "read" })
  })

  test("that is self-signed is reported as such", async () => {
    const own = makeCertificate({ subject: "printer.local", names: ["127.0.0.1"] })
    await using site = await startSecureSite(own)
    expect(await visited(site)).toMatchObject({
      because: "tls",
      detail: expect.stringMatching(/certificate is self-signed \(as "printer.local"\).*FOSSICK_CA_FILE/),
    })
    expect(await visited(site, { caFile: file("own.pem", own.cert) })).toMatchObject({ kind: "read" })
  })

  test("that has expired or is for another host is rejected even with its authority", async () => {
    const expired = makeCertificate({
      subject: "intranet",
      names: ["127.0.0.1"],
      issuer: root,
      from: new Date(Date.now() - 40 * DAY_MS),
      until: new Date("2025-03-04T05:06:07Z"),
    })
    await using late = await startSecureSite(expired)
    const spec = { caFile: rootFile }
    const ended = await visited(late, spec)
    expect(ended).toMatchObject({
      because: "tls",
      detail: expect.stringMatching(/has expired: the site's own is valid until 2025-03-04.*must renew/),
    })
    expect((ended as { detail: string }).detail).not.toContain("FOSSICK_CA_FILE")
    const other = makeCertificate({ subject: "x", names: ["wiki.example", "10.0.0.9"], issuer: root })
    await using elsewhere = await startSecureSite(other)
    expect(await visited(elsewhere, spec)).toMatchObject({
      because: "tls",
      detail: expect.stringContaining("is for wiki.example, 10.0.0.9, not for 127.0.0.1"),
    })
    const early = makeCertificate({
      subject: "x",
      names: ["127.0.0.1"],
      issuer: root,
      from: new Date(Date.now() + 2 * DAY_MS),
    })
    await using soon = await startSecureSite(early)
    expect(await visited(soon, spec)).toMatchObject({
      because: "tls",
      detail: expect.stringContaining("check this machine's clock"),
    })
    expect([...late.requests, ...elsewhere.requests, ...soon.requests]).toEqual([])
  })

  test("is accepted with the authority in caFile, for this source alone", async () => {
    await using site = await startSecureSite(forLoopback)
    expect(await visited(site, { caFile: rootFile })).toMatchObject({ kind: "read" })
    expect(await visited(site, { caFile: file("stranger.pem", stranger.cert) })).toMatchObject({
      because: "tls",
    })
    expect(await visited(site)).toMatchObject({ because: "tls" })
  })

  test("that is unknown ends a crawl's visit as failed:tls, with the authority in its detail", async () => {
    await using site = await startSecureSite(forLoopback)
    const job = await state.crawl({ name: "stranger", seeds: [site.url("/")] })
    expect(job.outcomes).toEqual({ "failed:tls": 1 })
    const kept = await statement(state.db, "select detail from known_address where url = ?").get(
      site.url("/"),
    )
    expect(kept?.["detail"]).toContain('issued by "Example Works Root"')
    expect(site.requests).toEqual([])
  })

  test("is not trusted through the caFile of a source made over the API", async () => {
    await using site = await startSecureSite(forLoopback)
    const source = defineSource({ name: "intranet", seeds: [site.url("/")], caFile: rootFile })
    await using reader = await openSourceReader(source, testConfig(), {
      db: state.db,
      author: "api",
      first: "unkept",
      env: {},
    })
    expect(await reader.read(site.url("/"))).toMatchObject({ because: "tls" })
  })
})

describe("a client certificate", () => {
  const client = makeCertificate({ subject: "fossick", issuer: root })
  const clientCert = {
    cert: `file:${file("client.pem", client.cert)}`,
    key: "${CLIENT_KEY}",
  }
  const asking = { requestCert: true, rejectUnauthorized: true, ca: root.cert } as const

  test("that is required and missing is reported, and clientCert provides it", async () => {
    // The bytes with which OpenSSL ends a handshake without a client certificate: fatal, certificate_required (RFC 8446
    // §6).
    const alert = createServer((socket) => {
      socket.on("error", () => undefined)
      socket.once("data", () => socket.end(Buffer.from("15030300020274", "hex")))
    })
    await new Promise<void>((listening) => {
      alert.listen(0, "127.0.0.1", listening)
    })
    const port = (alert.address() as AddressInfo).port
    await using refusing = await startSecureSite(forLoopback)
    const refused = await visited({ ...refusing, url: (path) => `https://127.0.0.1:${port}${path}` })
    alert.close()
    expect(refused).toMatchObject({
      because: "tls",
      detail: expect.stringMatching(/certificate required.*the source's clientCert/),
    })
    await using site = await startSecureSite(forLoopback, asking)
    const result = await visited(site, { caFile: rootFile, clientCert }, { CLIENT_KEY: client.key })
    expect(result).toMatchObject({ kind: "read" })
    expect(site.requests).toContainEqual({ path: "/", client: "fossick" })
  })

  test("is sent to the source's own sites, and to no other", async () => {
    await using site = await startSecureSite(forLoopback, { ...asking, rejectUnauthorized: false })
    await using other = await startSecureSite(forLoopback, { ...asking, rejectUnauthorized: false })
    const source = defineSource({ seeds: [site.url("/")], caFile: rootFile, clientCert })
    await using reader = await openSourceReader(source, testConfig(), {
      db: state.db,
      author: "operator",
      first: "unkept",
      env: { CLIENT_KEY: client.key },
    })
    expect(await reader.read(site.url("/"))).toMatchObject({ kind: "read" })
    expect(await reader.read(other.url("/"))).toMatchObject({ kind: "read" })
    expect(site.requests).toEqual([{ path: "/", client: "fossick" }])
    expect(other.requests).toEqual([{ path: "/", client: null }])
  })

  test("with an encrypted key needs its passphrase, which no error contains", async () => {
    await using site = await startSecureSite(forLoopback, asking)
    const key = String(
      client.privateKey.export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "open-sesame-42",
      }),
    )
    const spec = { caFile: rootFile, clientCert: { ...clientCert, passphrase: "${PASS}" } }
    const env = { CLIENT_KEY: key, PASS: "open-sesame-42" }
    expect(await visited(site, spec, env)).toMatchObject({ kind: "read" })
    await expect(visited(site, spec, { ...env, PASS: "wrong-secret" })).rejects.toThrow(
      /^clientCert.key: \$\{CLIENT_KEY\} cannot be decrypted with clientCert.passphrase$/,
    )
    await expect(visited(site, { caFile: rootFile, clientCert }, env)).rejects.toThrow(
      /is encrypted: set clientCert\.passphrase/,
    )
  })

  test.each([
    [
      "a certificate that is none",
      { cert: "${NONE}", key: "${KEY}" },
      /^clientCert.cert: \$\{NONE\} contains no certificate/,
    ],
    [
      "a key that is none",
      { cert: "${CERT}", key: "${NONE}" },
      /^clientCert.key: \$\{NONE\} contains no private key/,
    ],
    ["another's key", { cert: "${CERT}", key: "${OTHER}" }, /^clientCert: .*mismatch/i],
    [
      "a variable that is not set",
      { cert: "${CERT}", key: "${GONE}" },
      /^clientCert.key: .*\$\{GONE\} is not set/,
    ],
  ])("with %s is rejected by field", async (_, wrong, message) => {
    await using site = await startSecureSite(forLoopback)
    const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
    const env = {
      CERT: client.cert,
      KEY: client.key,
      NONE: "s3cret-text",
      OTHER: String(other.export({ type: "pkcs8", format: "pem" })),
    }
    const refused = visited(site, { clientCert: wrong }, env)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toBeInstanceOf(KnownError)
    await expect(refused).rejects.not.toThrow("s3cret")
  })
})

describe("a reference to certificates", () => {
  test.each([
    ["a file that is not there", "/no/such/ca.pem", /cannot be read \(ENOENT\)/],
    ["a file without certificates", file("text.pem", "hello"), /contains no certificate in PEM format/],
    [
      "a certificate in DER",
      file("ca.der", Buffer.from(root.cert.replaceAll(/-----[^-]+-----|\s/g, ""), "base64")),
      /looks like DER, which openssl x509/,
    ],
    [
      "a second certificate that is damaged",
      file("two.pem", `${root.cert}${stranger.cert.replace("MII", "AAA")}`),
      /something other than a certificate at position 2/,
    ],
  ])("is rejected for %s, by setting and by field", async (_, path, message) => {
    const setting = () => readSettings(crawlerSettings, { FOSSICK_CA_FILE: path })
    expect(setting).toThrow(/FOSSICK_CA_FILE must name a PEM file of certificates/)
    expect(setting).toThrow(message)
    await using site = await startSecureSite(forLoopback)
    await expect(visited(site, { caFile: path })).rejects.toThrow(/^caFile: /)
    await expect(visited(site, { caFile: path })).rejects.toThrow(message)
  })

  test("is checked for its form in a source", () => {
    const written = (more: object) => () =>
      readSourceSpec({ name: "a", seeds: ["https://a.example/"], ...more })
    expect(written({ caFile: "ca.pem" })).toThrow("caFile must be an absolute path")
    expect(written({ clientCert: { cert: "file:/c.pem", key: "-----BEGIN PRIVATE KEY-----" } })).toThrow(
      /^clientCert.key must name a secret, not contain it/,
    )
    expect(written({ clientCert: { cert: "file:/c.pem" } })).toThrow("clientCert.key is missing")
    expect(written({ caFile: "/ca.pem", clientCert: { cert: "file:/c.pem", key: "${KEY}" } })).not.toThrow()
  })
})
