import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { parse, stringify } from "yaml"
import { freePort } from "#base/testing/free-port.ts"
import { ComposeProject } from "../compose-project.ts"
import { expect, say, searchKey, tried } from "../trial.ts"
import { FOSSICK_MOUNT, makeStandIns, STAND_IN_MOUNTS } from "./stand-ins/stand-ins.ts"

// `npm run smoke:cluster`: starts the cluster of compose.cluster.yaml in its own project and data folder, crawls a
// small site next to it, searches, kills one process of each kind, and searches again. Exit code 0: success.

const USAGE = `Usage: npm run smoke:cluster -- [--stand-ins] [--project NAME] [--no-build] [--keep]

  --stand-ins  builds the images from this machine's programs, for when no registry can be reached
  --project    name of the Compose project (fossick-smoke-cluster)
  --no-build   uses the existing images
  --keep       leaves everything running afterwards
`
const ROOT = join(import.meta.dirname, "../..")
const FILE = "compose.cluster.yaml"
const ENDING = ["prepare"]
const PATIENCE_MS = 900_000
const LENS = "how do I clean the lens?"
const SITE = "http://site/"
const PATIENT = { healthcheck: { start_period: "30m" } }

interface Services {
  readonly services: Readonly<
    Record<string, { readonly image: string; readonly environment?: Readonly<Record<string, string>> }>
  >
}

const { values: options } = parseArgs({
  options: {
    "stand-ins": { type: "boolean", default: false },
    project: { type: "string", default: "fossick-smoke-cluster" },
    "no-build": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
})
if (options.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}

const { services } = parse(await readFile(join(ROOT, FILE), "utf8"), { merge: true }) as Services
const ours = Object.keys(services).filter((name) => services[name]!.image.startsWith("fossick:"))
const running = ours.filter((name) => name !== "prepare")
const nodes = Object.keys(services).filter((name) => name.startsWith("opensearch-"))

const work = await mkdtemp(join(tmpdir(), "fossick-smoke-cluster-"))
const dataDir = join(work, "data")
const port = await freePort()
const base = `http://127.0.0.1:${port}`
const override = join(work, "override.yaml")
await writeFile(override, stringify(beside()))
const project = new ComposeProject({
  name: options.project,
  files: [FILE, override],
  env: {
    APPLIANCE_DATA_DIR: dataDir,
    APPLIANCE_ADDRESS: "127.0.0.1",
    APPLIANCE_PORT: String(port),
    APPLIANCE_INDEX_HEAP: "512m",
    APPLIANCE_INDEX_MMAP: "false",
  },
  patienceMs: PATIENCE_MS,
})

await tried(project, smokeTest, options.keep ? null : () => rm(work, { recursive: true, force: true }))
if (options.keep) say(`kept: ${base}, ${work}`)

/** A site next to the cluster, and the mounts of stand-ins. */
function beside(): object {
  const mounts = (name: string) =>
    options["stand-ins"] && {
      volumes: [...STAND_IN_MOUNTS, ...(name === "site" || ours.includes(name) ? [FOSSICK_MOUNT] : [])],
    }
  const allowed = {
    environment: {
      FOSSICK_ALLOWED_NETWORKS: "site",
      FOSSICK_FETCH_TIMEOUT_MS: "120000",
      FOSSICK_READ_TIMEOUT_MS: "120000",
    },
  }
  const site = {
    image: services["prepare"]!.image,
    command: ["node", "/site/site.ts"],
    networks: ["outside"],
    sysctls: { "net.ipv4.ip_unprivileged_port_start": "0" },
    healthcheck: { test: ["CMD-SHELL", "curl --fail --silent http://127.0.0.1/"], interval: "5s" },
    volumes: ["./docker/test-site:/site:ro", ...(mounts("site") ? [...STAND_IN_MOUNTS, FOSSICK_MOUNT] : [])],
  }
  return {
    services: {
      ...Object.fromEntries(
        Object.keys(services).map((name) => [
          name,
          // On a busy machine, everything can take a while.
          { ...mounts(name), ...(running.includes(name) && allowed), ...(name !== "prepare" && PATIENT) },
        ]),
      ),
      site,
    },
  }
}

async function smokeTest(): Promise<void> {
  await project.compose("config", "--quiet")
  if (options["stand-ins"] && !options["no-build"]) {
    const image = (name: string) => services[name]!.image
    await makeStandIns(
      {
        fossick: image("prepare"),
        opensearch: image("opensearch-1"),
        postgres: image("postgres"),
        proxy: image("proxy"),
      },
      process.env,
    )
    say("the images are built from this machine's programs")
  } else if (!options["no-build"]) {
    await project.compose("build")
    say("the images are built")
  }
  await project.compose("up", "--detach", "--no-build")
  await ready()
  say("up and ready")
  await closed()
  say("OpenSearch rejects wrong passwords, and the stores cannot reach the other network")

  const key = await searchKey(project, "api")
  say((await project.inside("crawler", "fossick", "crawl", SITE)).trim().split("\n").at(-1) ?? "")
  await findsLens(key)
  const apis = (await project.containers()).filter(({ service }) => service === "api")
  expect(apis.length === 2, "two API containers run")
  for (const { id } of apis) await asksItself(id, key)
  say("the page is found through the proxy, and through each API")

  for (const service of ["api", "crawler", nodes.at(-1)!, "proxy", "postgres"]) {
    // While the proxy or PostgreSQL is down, no caller gets an answer.
    const asked = service !== "proxy" && service !== "postgres"
    const answered = await killed(service, key, { asked })
    say(
      `${service} was killed and is healthy again${asked ? `; ${answered} questions were answered meanwhile` : ""}`,
    )
  }
  await project.compose("restart")
  await ready()
  await findsLens(key)
  say("the same after a restart of everything")
  const logs = await project.compose("logs", "--no-color")
  for (const secret of await secrets()) expect(!logs.includes(secret), "no secret is in the logs")
}

async function secrets(): Promise<readonly string[]> {
  const names = [
    "operator/opensearch-admin-password",
    "fossick/opensearch-password",
    "fossick/postgres-password",
  ]
  return await Promise.all(names.map(async (name) => await readFile(join(dataDir, "secrets", name), "utf8")))
}

/** Checks the permissions on the store, and which hosts the stores can reach. */
async function closed(): Promise<void> {
  const [admin = "", fossick = ""] = await secrets()
  const asked = async (user: string, path: string) =>
    (
      await project.inside(
        nodes[0]!,
        "curl",
        "--silent",
        "--output",
        "/dev/null",
        "--write-out",
        "%{http_code}",
        "--cacert",
        "/conf/certs/ca.pem",
        ...(user === "" ? [] : ["--user", user]),
        `https://localhost:9200${path}`,
      )
    ).trim()
  const is = async (user: string, path: string, expected: string) => {
    const said = await asked(user, path)
    expect(said === expected, `${path} is answered ${expected} (${said})`)
  }
  await is("", "/", "401")
  for (const known of ["admin:admin", "fossick:fossick", "kibanaserver:kibanaserver"])
    await is(known, "/", "401")
  await is(`admin:${admin}`, "/_plugins/_security/api/internalusers", "200")
  await is(`fossick:${fossick}`, "/_cluster/health?wait_for_nodes=3", "200")
  await is(`fossick:${fossick}`, "/_plugins/_security/api/internalusers", "403")
  await is(`fossick:${fossick}`, "/other/_search", "403")
  // Checks by connecting to hosts on the other network. Checking the routes would prove less: some versions of Docker
  // leave behind a route that leads nowhere.
  const { id } = await project.container("site")
  const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
  const address = (await project.docker("inspect", "--format", format, id)).trim()
  const fetched = `curl --silent --max-time 5 --output /dev/null http://${address}/ && echo reached || echo closed`
  for (const [service, expected] of [
    ["api", "reached"],
    [nodes[0]!, "closed"],
    ["postgres", "closed"],
  ] as const) {
    const said = (await project.inside(service, "sh", "-c", fetched)).trim()
    expect(said === expected, `from ${service} the other network is ${expected} (${said})`)
  }
}

/**
 * Kills a service, queries the proxy in the meantime, and waits until everything is healthy again.
 *
 * @returns how many queries were answered in the meantime
 */
async function killed(service: string, key: string, { asked }: { readonly asked: boolean }): Promise<number> {
  const over = new AbortController()
  const asking = asked ? askUntil(over.signal, key) : Promise.resolve(0)
  try {
    await project.kill(service)
    if (asked) await ready()
  } finally {
    over.abort()
  }
  const answered = await asking
  await ready()
  await findsLens(key)
  return answered
}

/** Sends one query after another. @returns the number of queries */
async function askUntil(signal: AbortSignal, key: string): Promise<number> {
  let answered = 0
  while (!signal.aborted || answered < 20) {
    await findsLens(key)
    answered += 1
  }
  return answered
}

async function ready(): Promise<void> {
  await project.healthy(ENDING)
  await project.until(async () => {
    const answer = await fetch(`${base}/readyz`).catch(() => null)
    return answer?.ok ? null : `/readyz says ${(await answer?.text()) ?? "nothing"}`
  })
}

async function findsLens(key: string): Promise<void> {
  const response = await fetch(`${base}/search`, { method: "POST", ...asking(key) })
  const found = (await response.json()) as { results?: readonly { readonly url: string }[] }
  expect(
    found.results?.[0]?.url === `${SITE}lens`,
    `the lens is found (${response.status} ${JSON.stringify(found).slice(0, 500)})`,
  )
}

function asking(key: string) {
  return {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: LENS, max_results: 3 }),
  }
}

async function asksItself(container: string, key: string): Promise<void> {
  const ask = `const answer = await fetch("http://127.0.0.1:8080/search", ${JSON.stringify({ method: "POST", ...asking(key) })}); console.log((await answer.json()).results[0].url)`
  const said = await project.docker("exec", container, "node", "--input-type=module", "--eval", ask)
  expect(said.trim() === `${SITE}lens`, `each API finds the lens (${said})`)
}
