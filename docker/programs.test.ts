import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { forwardPort } from "./forward-port.ts"

// Runs the containers' programs without containers.

const UID = String(process.getuid?.())
const GID = String(process.getgid?.())
/** The id of a user other than root: the same as in the image. */
const OTHER_USER = 1000

test("the first start creates a Meilisearch key that only its user can read; later starts keep it", async () => {
  using folder = temporaryFolder()
  const env = { FOSSICK_DATA_DIR: folder.path, APPLIANCE_UID: UID, APPLIANCE_GID: GID }
  const file = join(folder.path, "secrets/meilisearch-master-key")

  expect(await run("init.ts", [], env)).toEqual({ code: 0, out: "", err: "" })
  const key = readFileSync(file, "utf8")
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(file))).toHaveLength(1)
  expect(readdirSync(folder.path).sort()).toEqual(["meilisearch", "model", "secrets"])

  expect(await run("init.ts", [], env)).toEqual({ code: 0, out: "", err: "" })
  expect(readFileSync(file, "utf8")).toBe(key)
})

// Only root can change the owner of folders.
test(
  "folders created by root in a private data folder are handed over, with only the given rights",
  { tags: ["root"] },
  async () => {
    using folder = temporaryFolder()
    const theirs = ["model", "meilisearch"].map((name) => join(folder.path, name))
    for (const path of theirs) mkdirSync(path)
    chownSync(folder.path, OTHER_USER, OTHER_USER)
    chmodSync(folder.path, 0o700)
    const compose = readFileSync(join(import.meta.dirname, "../compose.yaml"), "utf8")
    const { services } = parse(compose, { merge: true }) as { services: { init: { cap_add: string[] } } }
    const rights = services.init.cap_add.map((name) => `+${name.toLowerCase()}`)
    const env = {
      FOSSICK_DATA_DIR: folder.path,
      APPLIANCE_UID: String(OTHER_USER),
      APPLIANCE_GID: String(OTHER_USER),
    }
    const limits = ["setpriv", `--bounding-set=${["-all", ...rights].join(",")}`, process.execPath]
    expect(await run("init.ts", [], env, undefined, limits)).toEqual({ code: 0, out: "", err: "" })
    for (const path of theirs) expect(statSync(path).uid).toBe(OTHER_USER)
  },
)

test("the first start names an invalid setting", async () => {
  using folder = temporaryFolder()
  const env = { FOSSICK_DATA_DIR: folder.path, APPLIANCE_UID: "fossick", APPLIANCE_GID: GID }
  expect(await run("init.ts", [], env)).toMatchObject({
    code: 1,
    err: "APPLIANCE_UID must be a number, as shown by `id`.\n",
  })
  expect(existsSync(join(folder.path, "secrets"))).toBe(false)
})

test("the crawler is healthy as long as it sends heartbeats", async () => {
  using folder = temporaryFolder()
  const env = { FOSSICK_DATA_DIR: folder.path }
  const health = () => run("health.ts", ["crawler"], env)
  expect(await health()).toMatchObject({ code: 1, out: "there is no state.db yet\n" })

  const db = await openStateStore(folder.path)
  const jobs = new Jobs(db)
  expect(await health()).toMatchObject({ code: 1, out: "the crawler process does not respond\n" })
  await jobs.crawlerBeat(1)
  expect(await health()).toMatchObject({ code: 0, out: "ok\n" })
  db.close()
})

test("the API is healthy when it reports so, and otherwise its response is passed on", async () => {
  let status = 503
  await using site = await serve((path) => [path === "/readyz" ? status : 404, `{"status":"${status}"}`])
  const health = () => run("health.ts", ["api"], { FOSSICK_PORT: String(site.port) })
  expect(await health()).toMatchObject({ code: 1, out: '{"status":"503"}\n' })
  status = 200
  expect(await health()).toMatchObject({ code: 0, out: "ok\n" })
})

test("a forwarded port carries data both ways, and closes when the target does not answer", async () => {
  await using site = await serve((path) => [200, `this is ${path}`])
  const server = forwardPort({ host: "127.0.0.1", port: 0 }, { host: "127.0.0.1", port: site.port })
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`
  const headers = { connection: "close" }
  expect(await (await fetch(url, { headers })).text()).toBe("this is /docs/")
  await site[Symbol.asyncDispose]()
  await expect(fetch(url, { headers })).rejects.toThrow("fetch failed")
  server.close()
})

test("the command in the containers works from any folder, on the container's data folder", async () => {
  using folder = temporaryFolder()
  const env = { FOSSICK_DATA_DIR: folder.path }
  const { code, out } = await run("../command/fossick.js", ["jobs", "list"], env, folder.path)
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("No job") as unknown })
})

test("files that a container never loads are removed from the image; licences and the processor's files stay", async () => {
  using folder = temporaryFolder()
  const kept = [
    "@img/sharp-linux-arm64/sharp.node",
    "@lancedb/lancedb-linux-arm64-gnu/LICENSE.md",
    "onnxruntime-node/bin/napi-v3/linux/arm64/binding.node",
    "viem/_esm/index.js",
  ]
  const pruned = [
    "onnxruntime-node/bin/napi-v3/linux/x64/binding.node",
    "onnxruntime-node/bin/napi-v3/darwin/arm64/binding.node",
    "viem/_cjs/index.js",
    "viem/_esm/index.d.ts",
    "viem/_esm/index.js.map",
    "viem/README.md",
  ]
  for (const path of [...kept, ...pruned]) {
    const file = join(folder.path, "node_modules", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "")
  }
  const left = () =>
    [...kept, ...pruned].filter((path) => existsSync(join(folder.path, "node_modules", path)))

  expect(await run("prune-packages.ts", ["arm64"], {}, folder.path)).toMatchObject({ code: 0, err: "" })
  expect(left()).toEqual(kept)
  expect(await run("prune-packages.ts", ["amd64"], {}, folder.path)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The npm registry did not provide what amd64 needs: @lancedb/) as unknown,
  })
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
  [command = "", ...before]: readonly string[] = [process.execPath],
): Promise<Ended> {
  const child = spawn(command, [...before, join(import.meta.dirname, program), ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part))
  child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, out, err }
}

async function serve(answer: (path: string) => [status: number, body: string]) {
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? "")
    response.writeHead(status, { connection: "close" }).end(body)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}
