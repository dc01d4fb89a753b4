import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { freePort } from "#base/testing/free-port.ts"
import { ComposeProject } from "./compose-project.ts"
import { expect, say, searchKey, tried } from "./trial.ts"

// `npm run smoke:docker`: builds the images, starts the appliance in its own project and data folder, crawls a small
// site next to it, searches, kills the processes that answer, crawl and index, and searches again. Exit code 0:
// success.

const USAGE = `Usage: npm run smoke:docker -- [--with browser,air-gap,model] [--project NAME] [--no-build] [--keep]

  --with      files docker/compose.<name>.yaml to add, separated by commas
  --project   name of the Compose project, to run several side by side (fossick-smoke)
  --no-build  uses the existing images
  --keep      leaves everything running afterwards
`
const SITE = "http://site/"
const SCRIPT_PAGE = "http://site/tides"
const DOCUMENT = "http://site/rules.pdf"
const PATIENCE_MS = 600_000

/** Waits for a browser process with an open page, and prints whether it runs with or without its sandbox. */
const LOOK = `
  for try in $(seq 300); do
    for file in /proc/[0-9]*/cmdline; do
      line=$(tr "\\0" " " 2>/dev/null < "$file")
      # The brackets keep this script from finding itself.
      case "$line" in *--no-sand[b]ox*--type=render[e]r* | *--type=render[e]r*--no-sand[b]ox*) echo without; exit ;; esac
      case "$line" in *--type=render[e]r*) echo with; exit ;; esac
    done
    sleep 0.1
  done
  echo "unseen, maybe with"`

const { values: options } = parseArgs({
  options: {
    with: { type: "string", default: "" },
    project: { type: "string", default: "fossick-smoke" },
    "no-build": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
})
if (options.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
const variants = options.with.split(",").filter((name) => name !== "")
const files = ["compose.yaml", ...[...variants, "smoke-test"].map((name) => `docker/compose.${name}.yaml`)]

const dataDir = await mkdtemp(join(tmpdir(), "fossick-smoke-"))
const port = await freePort()
const root = process.getuid?.() === 0
const env = {
  APPLIANCE_DATA_DIR: dataDir,
  APPLIANCE_ADDRESS: "127.0.0.1",
  APPLIANCE_PORT: String(port),
  // Folders owned by root are handed over; others must belong to this user so that they can be removed at the end.
  ...(!root && { APPLIANCE_UID: String(process.getuid?.()), APPLIANCE_GID: String(process.getgid?.()) }),
}
const base = `http://127.0.0.1:${port}`
const project = new ComposeProject({ name: options.project, files, env, patienceMs: PATIENCE_MS })

await tried(project, smokeTest, options.keep ? null : () => rm(dataDir, { recursive: true, force: true }))

async function smokeTest(): Promise<void> {
  await project.compose("config", "--quiet")
  if (!options["no-build"]) {
    await project.compose("build")
    say("the images are built")
  }
  await project.compose("up", "--detach", "--no-build")
  await ready()
  say("up and ready")
  for (const service of variants.includes("air-gap") ? ["api", "crawler", "meilisearch"] : ["meilisearch"]) {
    const routes = await project.inside(service, "cat", "/proc/net/route")
    expect(!/^\w+\t0{8}\t/m.test(routes), `${service} has no route out:\n${routes}`)
  }
  expect((await project.compose("logs", "--no-color")).match(/fsk-\w+/g) === null, "no key is in the logs")

  say((await project.inside("api", "node", "/app/docker/load-packages.ts")).trim())
  await project.inside("api", "fossick", "doctor")
  say("the doctor finds nothing wrong")

  const key = await searchKey(project, "api")
  expect((await search("lens", "no-such-key")).status === 401, "a wrong key is refused")

  say((await project.inside("crawler", "fossick", "crawl", SITE)).trim().split("\n").at(-1) ?? "")
  await findsLens(key)
  say("a crawled page is found")
  await finds("where is the paraffin kept?", DOCUMENT, key)
  say("a document is found that a separate process read")
  if (variants.includes("browser")) {
    await finds("when is the causeway under water at spring tide?", SCRIPT_PAGE, key)
    say(`a page made by a script is found; its browser ran ${await sandbox()}`)
  }

  if (variants.includes("model")) {
    const ask =
      "const { ok } = await fetch(process.env.FOSSICK_LLM_URL + '/models'); process.exit(ok ? 0 : 1)"
    await project.inside("api", "node", "--input-type=module", "--eval", ask)
    say("the API reaches the model's server")
  }

  for (const service of ["api", "crawler", "meilisearch"]) await project.kill(service)
  await ready()
  say("killed, then up and ready again")
  await findsLens(key)
  say("the page is still found")

  const stopping = Date.now()
  await project.compose("stop", "api", "crawler")
  say(`stopped in ${((Date.now() - stopping) / 1000).toFixed(1)} s`)
  for (const { service, exitCode } of await project.containers()) {
    expect(!["api", "crawler"].includes(service) || exitCode === 0, `${service} exits cleanly (${exitCode})`)
  }
  await project.compose("restart")
  await ready()
  await findsLens(key)
  say("the same after a restart of everything")
}

/** Waits until every container is healthy and the API reports through the published port that all is well. */
async function ready(): Promise<void> {
  await project.healthy(["init"])
  await project.until(async () => {
    const answer = await fetch(`${base}/readyz`).catch(() => null)
    return answer?.ok ? null : `/readyz says ${(await answer?.text()) ?? "nothing"}`
  })
}

async function findsLens(key: string): Promise<void> {
  await finds("how do I clean the lens?", `${SITE}lens`, key)
}

async function finds(question: string, url: string, key: string): Promise<void> {
  const response = await search(question, key)
  const found = (await response.json()) as { results?: { url: string }[] }
  const [first] = found.results ?? []
  expect(
    first?.url === url,
    `${question} is answered by ${url} (${response.status} ${JSON.stringify(found)})`,
  )
}

async function search(query: string, key: string): Promise<Response> {
  return await fetch(`${base}/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, max_results: 3 }),
  })
}

/** How the crawler's browser isolates its pages, observed while it is reading one. */
async function sandbox(): Promise<string> {
  const [seen] = await Promise.all([
    project.inside("crawler", "sh", "-c", LOOK),
    project.inside("crawler", "fossick", "crawl", SCRIPT_PAGE, "--rendering", "browser", "--depth", "0"),
  ])
  return `${seen.trim()} its sandbox`
}
