import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { parseAllDocuments, stringify } from "yaml"
import { ComposeProject } from "../../docker/compose-project.ts"
import { expect, say, searchKey, tried } from "../../docker/trial.ts"
import { FOSSICK_MOUNT, makeStandIns, STAND_IN_MOUNTS } from "../../docker/cluster/stand-ins/stand-ins.ts"
import { podsOf } from "./pods.ts"

// `npm run smoke:chart`: starts the pods of the chart as containers, without Kubernetes, waits until the handbook is
// crawled, searches, kills one pod of each kind, and searches again. Exit code 0: success.

const USAGE = `Usage: sudo npm run smoke:chart -- [--stand-ins] [--keep]

  --stand-ins  builds the images from this machine's programs, for when no registry can be reached
  --keep       leaves everything running afterwards

Needs helm (HELM), Docker with Compose, and root, to access the files of all users.
`
const CHART = join(import.meta.dirname, "fossick")
const RELEASE = "smoke"
const KUBERNETES = "1.31.0"
/** The smallest size at which OpenSearch runs; no memory maps, which would require a setting on the nodes. */
const VALUES = ["opensearch.heap=512m", "opensearch.allowMmap=false"]
const QUESTION = "how do I add a source?"
const PATIENCE_MS = 900_000

const { values: options } = parseArgs({
  options: {
    "stand-ins": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
})
if (options.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}

const work = await mkdtemp(join(tmpdir(), "fossick-smoke-chart-"))
const { stdout: rendered } = await promisify(execFile)(
  process.env["HELM"] ?? "helm",
  ["template", RELEASE, CHART, "--kube-version", KUBERNETES, ...VALUES.flatMap((one) => ["--set", one])],
  { maxBuffer: 16_000_000 },
)
const manifests = parseAllDocuments(rendered).map((one) => one.toJS() as Parameters<typeof podsOf>[0][number])
const volumes = join(work, "volumes")
await mkdir(volumes, { recursive: true })
const { services, ending } = await podsOf(manifests.filter(Boolean), volumes, (image) =>
  options["stand-ins"] ? [...STAND_IN_MOUNTS, ...(image.startsWith("fossick:") ? [FOSSICK_MOUNT] : [])] : [],
)
const file = join(work, "pods.yaml")
await writeFile(file, stringify({ services, networks: { pods: {} } }))
const project = new ComposeProject({
  name: "fossick-smoke-chart",
  files: [file],
  env: {},
  patienceMs: PATIENCE_MS,
})
const podOf = (kind: string, ordinal = 0) => `${RELEASE}-fossick-${kind}-${ordinal}`

await tried(project, smokeTest, options.keep ? null : () => rm(work, { recursive: true, force: true }))
if (options.keep) say(`kept: ${file}`)

async function smokeTest(): Promise<void> {
  if (options["stand-ins"]) {
    const imageOf = (kind: string) => (services[podOf(kind)] as { readonly image: string }).image
    await makeStandIns(
      { fossick: imageOf("api"), opensearch: imageOf("opensearch"), postgres: imageOf("postgresql") },
      process.env,
    )
    say("the images are built from this machine's programs")
  }
  await project.compose("up", "--detach", "--no-build")
  await project.healthy(ending)
  for (const { service, exitCode } of await project.containers())
    if (ending.includes(service)) expect(exitCode === 0, `${service} exited cleanly (${exitCode})`)
  say(`${Object.keys(services).length} containers of the chart's pods exited cleanly or are ready`)

  const key = await searchKey(project, podOf("api"))
  await findsHandbook(key)
  say("the handbook was crawled, and is found at the name of the service")
  for (const kind of ["api", "crawler", "opensearch", "postgresql"]) {
    // The pod's first process is the program itself. Docker restarts it only when it exits on its own.
    const { id } = await project.container(podOf(kind))
    await project.docker("kill", id)
    // The state database has only one pod, so no search works while it is down.
    if (kind !== "postgresql") await findsHandbook(key)
    await project.docker("start", id)
    await project.healthy(ending)
    await findsHandbook(key)
    say(`${podOf(kind)} was killed and is ready again`)
  }
}

/** Sends a query as another pod would: to the name of the service, from a crawler pod. */
async function findsHandbook(key: string): Promise<void> {
  const request = {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: QUESTION, max_results: 3 }),
  }
  const ask = `const answer = await fetch("http://${RELEASE}-fossick-api:8080/search", ${JSON.stringify(request)}); console.log(await answer.text())`
  await project.until(async () => {
    const said = await project
      .inside(podOf("crawler", 1), "node", "--input-type=module", "--eval", ask)
      .catch((error: unknown) => String(error))
    return /"url":\s*"[^"]*\/docs\//.test(said) ? null : `the handbook is not found: ${said.slice(0, 300)}`
  })
}
