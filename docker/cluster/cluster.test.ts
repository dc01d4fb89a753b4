import { spawn, spawnSync } from "node:child_process"
import { createPrivateKey, pbkdf2Sync, X509Certificate } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createSocket } from "node:dgram"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { makeAuthority, makeIssued } from "./certificates.ts"

// The services that compose.cluster.yaml starts besides Fossick, run without containers.

const NODES = ["opensearch-1", "opensearch-2"]
const SECRETS = [
  "fossick/opensearch-password",
  "fossick/postgres-password",
  "operator/opensearch-admin-password",
]

function prepare(folder: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "prepare.ts")], {
    env: {
      PATH: process.env["PATH"],
      FOSSICK_DATA_DIR: folder,
      APPLIANCE_UID: String(process.getuid?.()),
      APPLIANCE_GID: String(process.getgid?.()),
      CLUSTER_NODES: NODES.join(","),
      ...env,
    },
    encoding: "utf8",
  })
  return { code: status, said: stderr }
}

describe("the first start", () => {
  test("creates passwords and certificates that only their user can read; the next one keeps them", () => {
    using folder = temporaryFolder()
    const read = (name: string) => readFileSync(join(folder.path, "secrets", name), "utf8")
    expect(prepare(folder.path)).toEqual({ code: 0, said: "" })

    const passwords = SECRETS.map(read)
    expect(new Set(passwords).size).toBe(SECRETS.length)
    for (const password of passwords) expect(password).toMatch(/^[\w-]{43}$/)
    expect(read("postgres/postgres-password")).toBe(read("fossick/postgres-password"))
    const all = [...SECRETS, "opensearch-1/node.key", "opensearch-1/internal_users.yml", "operator/ca.key"]
    for (const name of all) expect(statSync(join(folder.path, "secrets", name)).mode & 0o777).toBe(0o400)
    for (const name of ["secrets", "secrets/operator", "opensearch-2", "postgres"])
      expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o700)

    const authority = new X509Certificate(read("fossick/opensearch-ca.pem"))
    for (const node of NODES) {
      const certificate = new X509Certificate(read(`${node}/node.pem`))
      expect(certificate.verify(authority.publicKey)).toBe(true)
      expect(certificate.checkPrivateKey(createPrivateKey(read(`${node}/node.key`)))).toBe(true)
      expect(certificate.checkHost(node)).toBe(node)
      expect(certificate.subject).toBe("CN=node.fossick")
    }

    const whole = [...all, ...NODES.map((node) => `${node}/node.pem`)].map(read)
    expect(prepare(folder.path)).toEqual({ code: 0, said: "" })
    expect([...all, ...NODES.map((node) => `${node}/node.pem`)].map(read)).toEqual(whole)
  })

  test("gives OpenSearch only hashes of the passwords", () => {
    using folder = temporaryFolder()
    prepare(folder.path)
    const file = readFileSync(join(folder.path, "secrets/opensearch-1/internal_users.yml"), "utf8")
    const users = parse(file) as Record<string, { hash: string }>
    expect(Object.keys(users)).toEqual(["_meta", "admin", "fossick"])
    for (const [user, name] of [
      ["admin", "operator/opensearch-admin-password"],
      ["fossick", "fossick/opensearch-password"],
    ] as const) {
      const password = readFileSync(join(folder.path, "secrets", name), "utf8")
      expect(file).not.toContain(password)
      const [, kind, numbers = "", salt = "", hash = ""] = users[user]!.hash.split("$")
      const [rounds, bits] = [Number(BigInt(numbers) >> 32n), Number(BigInt(numbers) & 0xffffffffn)]
      expect([kind, rounds, bits]).toEqual(["3", 600_000, 256])
      const again = pbkdf2Sync(password, Buffer.from(salt, "base64"), rounds, bits / 8, "sha256")
      expect(hash).toBe(again.toString("base64"))
    }
  })

  test("keeps a password set by the operator, and rejects an invalid one", () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, "secrets/operator"), { recursive: true })
    const file = join(folder.path, "secrets/operator/opensearch-admin-password")
    writeFileSync(file, "correct horse battery\n")
    expect(prepare(folder.path).code).toBe(0)
    expect(readFileSync(file, "utf8")).toBe("correct horse battery\n")
    writeFileSync(file, "admin")
    expect(prepare(folder.path)).toEqual({
      code: 1,
      said: "The password in secrets/operator/opensearch-admin-password has fewer than 12 characters.\n",
    })
  })

  test("is followed by later ones that replace certificates about to expire or from another authority", () => {
    using folder = temporaryFolder()
    prepare(folder.path)
    const file = join(folder.path, "secrets/opensearch-1/node.pem")
    const other = readFileSync(join(folder.path, "secrets/opensearch-2/node.pem"), "utf8")
    rmSync(file)
    writeFileSync(file, makeIssued("node.fossick", makeAuthority()).cert)
    expect(prepare(folder.path).code).toBe(0)
    const authority = new X509Certificate(readFileSync(join(folder.path, "secrets/opensearch-1/ca.pem")))
    expect(new X509Certificate(readFileSync(file)).verify(authority.publicKey)).toBe(true)
    expect(readFileSync(join(folder.path, "secrets/opensearch-2/node.pem"), "utf8")).toBe(other)
  })

  test.each([
    ["APPLIANCE_UID", "fossick", "APPLIANCE_UID must be a number, as shown by `id`.\n"],
    ["CLUSTER_NODES", "../x", "CLUSTER_NODES must be names of services, separated by commas.\n"],
  ])("explains the problem with %s", (name, value, said) => {
    using folder = temporaryFolder()
    expect(prepare(folder.path, { [name]: value })).toEqual({ code: 1, said })
  })
})

test("on Kubernetes, a node gets its users, and its key in the format OpenSearch reads", () => {
  using folder = temporaryFolder()
  const [passwords, certificates, to] = ["passwords", "certificates", "to"].map((name) => {
    const path = join(folder.path, name)
    mkdirSync(path)
    return path
  }) as [string, string, string]
  const authority = makeAuthority()
  const node = makeIssued("node.fossick", authority, ["localhost"])
  // The format in which Helm writes keys.
  const key = node.privateKey.export({ type: "sec1", format: "pem" })
  writeFileSync(join(certificates, "ca.pem"), authority.cert)
  writeFileSync(join(certificates, "node.pem"), node.cert)
  writeFileSync(join(certificates, "node.key"), key)
  for (const user of ["admin", "fossick"])
    writeFileSync(join(passwords, `${user}-password`), `${user} password`)
  const program = join(import.meta.dirname, "node-secrets.ts")
  expect(spawnSync(process.execPath, [program, passwords, certificates, to]).status).toBe(0)
  expect(readFileSync(join(to, "node.key"), "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  expect(parse(readFileSync(join(to, "internal_users.yml"), "utf8"))).toHaveProperty("fossick.hash")
})

describe("the proxy", { tags: ["nginx"] }, () => {
  test("spreads calls over all servers, and no query is lost when one dies", async () => {
    await using one = await startApi("127.0.0.1")
    await using _ = await startApi("127.0.0.2", one.port)
    await using names = await startNames(["127.0.0.1", "127.0.0.2"])
    await using proxy = await startProxy(one.port, names.port)
    const ask = async (path: string, calls = 20) =>
      new Set(await Promise.all(Array.from({ length: calls }, async () => await proxy.post(path))))
    // Requests that are waiting for the same DNS response go to the same server.
    await until(async () => (await ask("/search")).size === 2)

    // One server receives the request and dies.
    one.answers = (request) => request.socket.destroy()
    expect(await ask("/search")).toEqual(new Set(["200 127.0.0.2"]))
    // A request that must not run twice is not sent again.
    await until(async () => (await ask("/admin/keys")).has("502"))

    one.answers = (_, response) => void response.writeHead(503).end()
    expect(await ask("/search")).toEqual(new Set(["200 127.0.0.2"]))

    // A server that refuses connections has not received any call.
    await one[Symbol.asyncDispose]()
    expect(await ask("/search")).toEqual(new Set(["200 127.0.0.2"]))
    expect(await ask("/admin/keys")).toEqual(new Set(["200 127.0.0.2"]))
  })

  test("finds added servers, and forgets removed ones", async () => {
    await using one = await startApi("127.0.0.1")
    await using two = await startApi("127.0.0.2", one.port)
    await using names = await startNames(["127.0.0.1"])
    await using proxy = await startProxy(one.port, names.port)
    expect(await proxy.post("/search")).toBe("200 127.0.0.1")
    names.addresses = ["127.0.0.2"]
    await until(async () => (await proxy.post("/search")) === "200 127.0.0.2")
    expect(two.last).toBeDefined()
  })

  test("passes on the caller's address, and trusts no forwarded headers", async () => {
    await using api = await startApi("127.0.0.1")
    await using names = await startNames(["127.0.0.1"])
    await using proxy = await startProxy(api.port, names.port)
    await proxy.post("/search", { "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https" })
    expect(api.last?.headers).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "https",
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
    })
  })
})

type Answers = (request: IncomingMessage, response: ServerResponse) => void

async function startApi(host: string, port = 0) {
  const server = createServer((request, response) => {
    api.last = request
    api.answers(request, response)
  }).listen(port, host)
  await once(server, "listening")
  const answers: Answers = (_, response) => void response.end(host)
  const api = {
    port: (server.address() as AddressInfo).port,
    answers,
    last: undefined as IncomingMessage | undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  return api
}

/** A name server (RFC 1035) that returns the same addresses for every name, as Docker's does for a service. */
async function startNames(addresses: readonly string[]) {
  const socket = createSocket("udp4")
  const names = {
    port: 0,
    addresses,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve))
    },
  }
  socket.on("message", (question, { port, address }) => {
    const head = Buffer.from(question.subarray(0, 12))
    // A response with one record per address and no other records.
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(names.addresses.length, 6)
    head.writeUInt32BE(0, 8)
    const asked = question.subarray(12, question.indexOf(0, 12) + 5)
    // The requested name, type A, class IN, a TTL of one second, four bytes.
    const records = names.addresses.map((one) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...one.split(".").map(Number)]),
    )
    socket.send(Buffer.concat([head, asked, ...records]), port, address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  names.port = socket.address().port
  return names
}

/** The unchanged configuration, except for paths on this machine. */
async function startProxy(apiPort: number, namesPort: number) {
  const folder = mkdtempSync(join(tmpdir(), "fossick-proxy-"))
  const [port, own] = [await freePort(), await freePort()]
  const file = join(folder, "nginx.conf")
  const user = process.getuid?.() === 0 ? "user root;\n" : ""
  const text = readFileSync(join(import.meta.dirname, "nginx.conf"), "utf8")
    .replaceAll("/tmp/", `${folder}/`)
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replace("127.0.0.1:8081", `127.0.0.1:${own}`)
    .replace("127.0.0.11 ", `127.0.0.1:${namesPort} `)
    .replace("api:8080", `api:${apiPort}`)
  writeFileSync(file, user + text)
  const child = spawn("nginx", ["-e", "stderr", "-g", "daemon off;", "-c", file], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  })
  endWithUs(child)
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, "exit")
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}:\n${said}`)
    return (await fetch(`http://127.0.0.1:${own}/`).catch(() => null))?.status === 200
  })
  return {
    /** @returns the status, and which server answered */
    async post(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
      const url = `http://127.0.0.1:${port}${path}`
      const response = await fetch(url, { method: "POST", body: "{}", headers })
      const answer = await response.text()
      return response.ok ? `${response.status} ${answer}` : String(response.status)
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
