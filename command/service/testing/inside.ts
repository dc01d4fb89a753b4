import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { PLACES, USER } from "../places.ts"

// The steps that smoke-systemd.ts runs under a real systemd: the service is installed, crawls, is stopped in the middle
// of its work, killed, and removed. They run as root in their own container, and print their observations.

const FOSSICK = join(import.meta.dirname, "../../fossick.js")
const RESULT = process.argv[2]!
const PAGES = 400
const PAGE_MS = 60
const SLOW_MS = 4000
const READY_URL = "http://localhost:8080/readyz"

const say = (text: string): void => appendFileSync(RESULT, `${text}\n`)

function check(what: string, isSo: boolean, shown: unknown = ""): void {
  say(`${isSo ? "ok  " : "FAIL"} ${what}${shown === "" ? "" : `: ${String(shown)}`}`)
}

/** A program's output, and how it ended. */
function run(program: string, ...args: string[]): { code: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" })
  return { code: status, out: `${stdout}${stderr}`.trim() }
}

const fossick = (...args: string[]) => run(process.execPath, FOSSICK, ...args)
const property = (name: string) => run("systemctl", "show", "fossick", "--value", "--property", name).out
const journal = (...args: string[]) =>
  run("journalctl", "-u", "fossick", "--no-pager", "-o", "cat", ...args).out

async function until(isSo: () => boolean | Promise<boolean>, ms = 60_000): Promise<boolean> {
  for (const late = Date.now() + ms; Date.now() < late; await sleep(200)) if (await isSo()) return true
  return false
}

const isReady = () =>
  fetch(READY_URL).then(
    ({ ok }) => ok,
    () => false,
  )

function processesOf(pattern: RegExp): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && pattern.test(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "))
      } catch {
        return false
      }
    })
}

/** A site whose pages are slow; /slow is slower still, and /app is built by a script. */
async function startSite(): Promise<{ port: number; served: () => number }> {
  let served = 0
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const answer = (html: string) => response.setHeader("content-type", "text/html").end(html)
    if (path === "/robots.txt") {
      response.writeHead(404).end()
      return
    }
    served += 1
    if (path.startsWith("/app")) {
      answer(`<title>App</title><div id="a"></div><script>document.getElementById("a").innerHTML =
        "<main><h1>Badgers</h1><p>Badgers dig setts with many chambers and line them with dry grass, " +
        "which a script wrote into this page after it was loaded.</p></main>"</script>`)
      return
    }
    const links = Array.from({ length: PAGES }, (_, i) => `<a href="/p${i}">${i}</a>`).join(" ")
    setTimeout(
      () =>
        answer(`<title>Page ${path}</title><main><h1>Page ${path}</h1><p>This is what the page ${path} says about
        otters, which hold hands while they sleep at sea.</p>${path === "/" ? links : ""}</main>`),
      path === "/slow" ? SLOW_MS : PAGE_MS,
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { port: (server.address() as { port: number }).port, served: () => served }
}

async function story(): Promise<void> {
  say(run("systemctl", "--version").out.split("\n")[0]!)
  check(
    "--dry-run changes nothing",
    fossick("service", "install", "--dry-run").code === 0 && !existsSync(PLACES.config),
  )
  let since = Date.now()
  const installed = fossick("service", "install")
  check("install succeeds", installed.code === 0, `${((Date.now() - since) / 1000).toFixed(1)} s`)
  say(installed.out.replaceAll(/^/gm, "     | "))
  if (installed.code !== 0) return
  const rights = (path: string) => {
    const { mode, uid } = statSync(path)
    return `${(mode & 0o777).toString(8)} ${uid === 0 ? "root" : USER}`
  }
  const wanted = {
    [PLACES.config]: "750 root",
    [PLACES.data]: "700 fossick",
    [PLACES.settings]: "640 root",
    [PLACES.sources]: "640 root",
    [PLACES.unit]: "644 root",
  }
  for (const [path, right] of Object.entries(wanted))
    check(`${path} is ${right}`, rights(path) === right, rights(path))
  const verified = run("systemd-analyze", "verify", PLACES.unit)
  check(
    "systemd-analyze verify finds nothing",
    verified.code === 0 && !/fossick/.test(verified.out),
    verified.out,
  )
  const security = run("systemd-analyze", "security", "--no-pager", "fossick").out.split("\n").at(-1)!
  check("systemd-analyze security", /fossick/.test(security), security.replace(/[^\x20-\x7e]/g, "").trim())

  const site = await startSite()
  appendFileSync(PLACES.settings, `FOSSICK_ALLOWED_NETWORKS=127.0.0.1\nFOSSICK_HOST_CONCURRENCY=1\n`)
  writeFileSync(
    PLACES.sources,
    `sources:
  - name: slow
    seeds: http://127.0.0.1:${site.port}/
    exclude: ["/app*", "/slow"]
  - name: app
    seeds: http://127.0.0.1:${site.port}/app
    rendering: browser
`,
  )
  const settings = readFileSync(PLACES.settings, "utf8")
  const again = fossick("service", "install")
  check(
    "install again restarts it and keeps the settings",
    again.code === 0 && readFileSync(PLACES.settings, "utf8") === settings,
  )
  const key = /^FOSSICK_API_KEY=(\S+)$/m.exec(settings)![1]!
  const post = (path: string, body: object) =>
    fetch(`http://localhost:8080/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
  check("the key in the settings can search", (await post("search", { query: "otters" })).status === 200)

  // Runs are requested through the API: a command that waits for its run would carry out the run itself when the
  // service stops.
  const crawl = async (source: string) =>
    check(
      `the crawl of ${source} is accepted`,
      (await post(`admin/sources/${source}/run`, {})).status === 202,
    )
  const isAtWork = () => until(() => site.served() > before + 5)
  let before = site.served()
  await crawl("slow")
  check("a crawl is running", await isAtWork())
  const slow = post("extract", { urls: [`http://127.0.0.1:${site.port}/slow`] }).then(
    (response) => response.status,
    String,
  )
  await sleep(1500)
  since = Date.now()
  const stopped = run("systemctl", "stop", "fossick")
  const seconds = (Date.now() - since) / 1000
  check(
    "the service stops in time during a crawl and a request",
    stopped.code === 0 && seconds < 20,
    `${seconds.toFixed(1)} s`,
  )
  check("the request was answered", (await slow) === 200, await slow)
  check(
    "the service exited successfully",
    property("Result") === "success" && property("ExecMainStatus") === "0",
    property("Result"),
  )
  check("no processes are left", processesOf(/crawler\/main|api\/main|job-worker/).length === 0)

  before = site.served()
  check("the service starts again", run("systemctl", "start", "fossick").code === 0 && (await until(isReady)))
  check("the crawl continues", await isAtWork())

  const [main] = [Number(property("MainPID"))]
  process.kill(main, "SIGKILL")
  check(
    "the service is restarted after it was killed",
    await until(
      async () =>
        Number(property("MainPID")) > 0 && Number(property("MainPID")) !== main && (await isReady()),
    ),
    `NRestarts=${property("NRestarts")}`,
  )
  before = site.served()
  check("the crawl continues after that", await isAtWork())
  for (const pid of processesOf(/job-worker/)) process.kill(pid, "SIGKILL")
  before = site.served()
  check(
    "the crawl continues after its worker was killed",
    (await isAtWork()) && /job process failed/.test(journal()),
  )
  for (const pid of processesOf(/crawler\/main/)) process.kill(pid, "SIGKILL")
  before = site.served()
  check(
    "the crawl continues after the crawler was killed",
    (await isAtWork()) && /The crawler process ended unexpectedly/.test(journal()),
  )

  const finished = await until(() => /crawl slow finished: .* new, 0 failed/.test(journal()), 240_000)
  check(
    "the crawl finishes",
    finished,
    /crawl slow .*/g.exec(journal().split("\n").toReversed().join("\n"))?.[0],
  )
  if (existsSync("/usr/bin/chromium")) {
    await crawl("app")
    let line = ""
    await until(() =>
      processesOf(/chrom.* --remote-debugging-pipe/).some((pid) => {
        line ||= readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return line !== ""
      }),
    )
    check(
      "a page made by a script is read",
      await until(() => /crawl app finished: 1 new, 0 failed/.test(journal())),
      /crawl app .*/g.exec(journal().split("\n").toReversed().join("\n"))?.[0],
    )
    check(
      "Chromium runs in its sandbox",
      line !== "" && !line.includes("--no-sandbox"),
      line.includes("--no-sandbox") ? "--no-sandbox" : "",
    )
    const found = (await (
      await post("search", { query: "what do badgers line their setts with?", max_results: 1 })
    ).json()) as { results: { title: string }[] }
    check(
      "the page is found",
      found.results[0]?.title === "Badgers" || found.results[0]?.title === "App",
      found.results[0]?.title,
    )
  } else say("skipped the browser: /usr/bin/chromium does not exist")

  const doctor = run(
    "runuser",
    "-u",
    USER,
    "--",
    "env",
    `FOSSICK_CONFIG_FILE=${PLACES.settings}`,
    process.execPath,
    FOSSICK,
    "sources",
    "list",
  )
  check("commands work as the service's user", doctor.code === 0 && doctor.out.includes("slow"))
  const lines = journal().split("\n")
  check(
    "the journal contains plain text",
    lines.some((line) => /^Fossick \S+ is starting /.test(line)) &&
      !lines.some((line) => line.startsWith("{") || /^\d\d:\d\d:\d\d /.test(line)),
    `${lines.length} lines`,
  )
  check(
    "the journal marks warnings",
    journal("-p", "warning").includes("job process failed") &&
      !journal("-p", "warning").includes("listening"),
  )
  check("the journal contains no key", !journal().includes(key))
  say(lines.slice(0, 12).join("\n").replaceAll(/^/gm, "     | "))

  check("uninstall succeeds", fossick("service", "uninstall").code === 0 && !existsSync(PLACES.unit))
  check(
    "uninstall keeps settings and data",
    existsSync(PLACES.settings) && existsSync(join(PLACES.data, "state.db")),
  )
  check("no processes are running", processesOf(/crawler\/main|api\/main/).length === 0)
}

try {
  await story()
  say("end")
} catch (error) {
  say(`FAIL ${(error as Error).stack}`)
}
process.exit(0)
