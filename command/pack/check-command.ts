import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { freePort } from "#base/testing/free-port.ts"

// `npm run pack:check`: makes the npm package and uses it like a user who only has npm: in an empty folder, with an
// empty cache, on the machine's Node. Needs access to the registry and takes minutes.

const QUESTION = "how do I schedule a crawl?"
const MAX_WAIT_MS = 300_000

const work = mkdtempSync(join(tmpdir(), "fossick-pack-check-"))
// The machine's own Node and npm, without the folders that npm puts before them in the path.
const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
const env = {
  PATH: path.join(delimiter),
  HOME: work,
  npm_config_cache: join(work, "cache"),
  npm_config_loglevel: "error",
  npm_config_registry: process.env["npm_config_registry"],
  FOSSICK_ALLOWED_NETWORKS: "127.0.0.1",
}
const home = join(work, "home")

try {
  const packed = spawnSync(process.execPath, [join(import.meta.dirname, "pack-command.ts"), work], {
    stdio: "inherit",
  })
  if (packed.status !== 0) throw new Error("it cannot be packed")
  const file = readdirSync(work).find((name) => name.endsWith(".tgz"))!
  mkdirSync(home)
  cpSync(join(work, file), join(home, file))
  say(`node ${run("node", "--version")}, npm ${run("npm", "--version")}`)
  const fossick = (...args: string[]) => run("npx", "--yes", `./${file}`, ...args)
  let since = Date.now()
  say(`${fossick("--version")} (${Math.round((Date.now() - since) / 1000)} s with the installation)`)
  refuseUnwanted(join(work, "cache/_npx"))
  since = Date.now()
  const appliance = await start(file)
  try {
    const found = (await (await ask(appliance)).json()) as { answer: string; results: { url: string }[] }
    say(`${Math.round((Date.now() - since) / 1000)} s after its start: ${found.answer}`)
    if (!/\[1\]/.test(found.answer) || !found.results[0]?.url.endsWith("/docs/schedule-a-crawl")) {
      throw new Error(`no cited answer: ${JSON.stringify(found)}`)
    }
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html")
      response.end(
        "<title>Otters</title><main><h1>Otters</h1><p>Otters hold hands while they sleep at sea.</p></main>",
      )
    }).listen(0, "127.0.0.1")
    await once(site, "listening")
    const { port } = site.address() as AddressInfo
    await later("npx", "--yes", `./${file}`, "crawl", `http://127.0.0.1:${port}/`)
    site.close()
    const hits = JSON.parse(fossick("search", "--json", "how do otters sleep?")) as {
      hits: { title: string }[]
    }
    if (hits.hits[0]?.title !== "Otters")
      throw new Error(`the crawled page was not found: ${JSON.stringify(hits)}`)
    say("A crawled page is found.")
    say(fossick("doctor"))
  } finally {
    await appliance.stop()
  }
  say("The npm package works.")
} finally {
  rmSync(work, { recursive: true, force: true })
}

interface Appliance {
  readonly url: string
  readonly apiKey: string
  stop(): Promise<void>
}

async function start(file: string): Promise<Appliance> {
  // The handbook is crawled at the appliance's own address, so the port is fixed.
  writeFileSync(join(home, "fossick.env"), `FOSSICK_PORT=${await freePort()}\n`)
  const child = spawn("npx", ["--yes", `./${file}`, "start", "--json"], {
    cwd: home,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  })
  const lines = Promise.withResolvers<{ url: string; apiKey: string }>()
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => {
    text += String(chunk)
    const objects = text
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { url?: string; apiKey?: string; handbook?: string })
    const [screen] = objects
    if (screen?.url && screen.apiKey && objects.at(-1)?.handbook === "read") {
      lines.resolve({ url: screen.url, apiKey: screen.apiKey })
    }
  })
  const late = setTimeout(() => lines.reject(new Error(`Fossick did not start:\n${text}`)), MAX_WAIT_MS)
  child.once("exit", (code) => lines.reject(new Error(`Fossick exited with ${code}:\n${text}`)))
  const screen = await lines.promise.finally(() => clearTimeout(late))
  return {
    ...screen,
    async stop() {
      child.kill("SIGTERM")
      const end = Date.now() + 60_000
      while (isAlive(-child.pid!)) {
        if (Date.now() > end) {
          process.kill(-child.pid!, "SIGKILL")
          throw new Error("some processes are still running")
        }
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
  }
}

async function ask({ url, apiKey }: Appliance): Promise<Response> {
  return await fetch(`${url}/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: QUESTION, include_answer: true, max_results: 1 }),
  })
}

/** Packages that `overrides` keeps out of a clone must not be installed with the package. */
function refuseUnwanted(folder: string): void {
  const packages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /node_modules\/(@huggingface\/transformers|openai|pdfjs-dist|tesseract\.js|sharp|onnxruntime-node)\/package\.json$/.test(
      name,
    ),
  )
  say(packages.join("\n"))
  const runtimes = packages.filter((name) => /(sharp|onnxruntime-node)\/package\.json$/.test(name))
  if (runtimes.length !== 2) throw new Error("there are several copies of sharp or onnxruntime-node")
  for (const name of packages.filter((one) => !runtimes.includes(one))) {
    const files = readdirSync(join(folder, name, ".."))
    if (files.length > 4) throw new Error(`${name} is installed with all its files`)
  }
}

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: home, env, encoding: "utf8" })
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} exited with code ${status}:\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Like `run`, while this process serves the pages that the program reads. */
async function later(program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd: home, env, stdio: ["ignore", "ignore", "inherit"] })
  const [code] = (await once(child, "exit")) as [number | null]
  if (code !== 0) throw new Error(`${args.join(" ")} exited with code ${code}`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
