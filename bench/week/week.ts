import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { BENCH_DIR } from "../corpora/documentation-site.ts"
import { type Run, WeekAppliance } from "./appliance.ts"
import { nextTime, openClock } from "./clock.ts"
import { DAYS, type Stage } from "./days.ts"
import { drill, killWorker, restart } from "./drills.ts"
import { judgeAlerts, judgeRun, rankOf, report, type Truth, type Verdict, WELL } from "./judge.ts"
import { certificates } from "./programs/manuals.ts"
import { forget } from "./programs/packages.ts"
import { buildPrograms } from "./programs/programs.ts"
import { WIKI_LOGIN } from "./programs/wikis.ts"
import { startReceiver } from "./receiver.ts"
import { harvestOf, harvestTable, pagesTold } from "./recipes.ts"
import { proposedSources, sourcesFile } from "./sources.ts"
import { busyFor, ownSite, silent, Stand } from "./world.ts"

/** The lowest rank allowed for the page that answers a question. */
const TOP = 5
/** How long the last webhook of a night may take to arrive. */
const WEBHOOK_SECONDS = 30
const WELL_WORDS = "nothing"
/** The longest that the runs of one night may take. */
const NIGHT_MINUTES = 30
/** Sites that change during the week: rebuilt for each week. */
const CHANGED = ["blog", "gitlab-pages", "dokuwiki", "intranet"]

const { values } = parseArgs({
  options: {
    /** The folder in which the programs are installed and kept for the next week. */
    programs: { type: "string", default: join(BENCH_DIR, "programs") },
    /** The first of the ports that the sites use. */
    port: { type: "string", default: "47100" },
    /** How many days to play. */
    days: { type: "string", default: "7" },
    /** Plays only these sites: names, separated by commas. */
    only: { type: "string" },
    /** Where to keep the appliance's folder. */
    keep: { type: "string" },
  },
})

const firstPort = Number(values.port)
const work = values.keep ?? (await mkdtemp(join(tmpdir(), "fossick-week-")))
await mkdir(work, { recursive: true })
const say = (text: string) => process.stderr.write(`${text}\n`)

await using cleanup = new AsyncDisposableStack()
// Servers and the appliance are separate process groups: they end only if we end them.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    // The current task fails when the appliance ends; the servers must still be stopped then.
    process.on("uncaughtException", () => {})
    void cleanup.disposeAsync().finally(() => process.exit(130))
  })
if (values.keep === undefined) cleanup.defer(() => rm(work, { recursive: true, force: true }))

await forget(values.programs, CHANGED)
const programs = await buildPrograms(values.programs)
for (const { name, why } of programs.missing) say(`left out: ${name}: ${why}`)
const clock = await openClock(values.programs, work)
const secret = randomBytes(24).toString("base64")
const receiver = cleanup.use(await startReceiver(secret))
const passwordFile = join(work, "wiki-password")
await writeFile(passwordFile, `${WIKI_LOGIN.password}\n`)

const sites = [
  ...programs.sites,
  ownSite("old-forum", "a server that takes connections and never answers", silent),
  ownSite("partner", "a server that answers 503 with Retry-After", busyFor(15)),
].filter(({ name }) => values.only === undefined || values.only.split(",").includes(name))
const stands = new Map<string, Stand>()
for (const [at, site] of sites.entries()) {
  const stand = cleanup.use(new Stand(site, firstPort + at, clock.env))
  await stand.up()
  stands.set(site.name, stand)
}

const { authority } = await certificates(values.programs)
const browser = join(work, "browser")
// The browser does not work with a preloaded library; its clock is the machine's.
await writeFile(browser, '#!/bin/sh\nunset LD_PRELOAD\nexec chromium "$@"\n', { mode: 0o755 })
const settings = {
  FOSSICK_PORT: String(firstPort + 90),
  FOSSICK_WEBHOOK_NETWORKS: receiver.address,
  FOSSICK_BROWSER_PATH: browser,
  // A sick site is retried as often as usual, but with shorter waits, because the nights are short.
  FOSSICK_RETRY_DELAY_MS: "1000",
  FOSSICK_ALERT_WEBHOOK: receiver.url,
  FOSSICK_ALERT_WEBHOOK_SECRET: "${WEEK_WEBHOOK_SECRET}",
  WEEK_WEBHOOK_SECRET: secret,
}
await writeFile(
  join(work, "fossick.env"),
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(""),
)
const appliance = cleanup.use(new WeekAppliance(work, clock.env))
await appliance.start()

say("looking at each site")
const proposals = await proposedSources(appliance, [...stands.values()], { passwordFile, authority })
let declared = sourcesFile(
  [...proposals.values()].map(({ source }) => source),
  receiver.url,
)
await declare(declared)

const stage: Stage = {
  folder: values.programs,
  stands,
  fresh: programs.spare,
  now: () => clock.now(),
  passwordFile,
  servers: cleanup.use(new AsyncDisposableStack()),
  blogPort: firstPort + 80,
}
const verdicts: Verdict[] = []
const lines: string[] = []
const bad = new Map<string, number>()
lines.push(
  `The looks at the sites took ${[...proposals.values()].reduce((sum, { seconds }) => sum + seconds, 0).toFixed(0)} s and ${[...proposals.values()].reduce((sum, { requests }) => sum + requests, 0)} requests.`,
)

for (const day of DAYS.slice(0, Number(values.days))) {
  say(`day ${day.number}`)
  await day.happen(stage)
  if (day.number === 6) await mendByOperator()
  const before = Math.max(0, ...(await appliance.runs()).map(({ id }) => id))
  const began = Date.now()
  const heard = receiver.messages.length
  if (day.number === 1) {
    for (const name of stands.keys()) await appliance.call(`/admin/sources/${name}/run`, {})
  } else {
    await clock.setForward(nextTime(clock.now(), 3, 0) - 3000)
    await started(before)
  }
  await appliance.rest(NIGHT_MINUTES)
  lines.push(`Day ${day.number}: all runs took ${((Date.now() - began) / 1000).toFixed(0)} s.`)
  await judgeDay(
    day.number,
    day.truths.filter(({ source }) => stands.has(source)),
    before,
    heard,
  )
  if (day.number === 1) await harvest()
  if (day.number === 6) {
    verdicts.push(...(await restart(appliance)))
    verdicts.push(...(await killWorker(appliance, stands)))
    verdicts.push(...(await drill(appliance, work, clock.env, askedOf("mediawiki"))))
  }
  await questions(day.number)
}

const right = verdicts.filter((one) => one.right).length
const alarms = verdicts.filter(({ right, told, what }) => !right && what === WELL_WORDS && told !== "no run")
process.stdout.write(`${report(verdicts)}
${right} of ${verdicts.length} reported correctly; ${alarms.length} false alarms.

${lines.join("\n")}

Left out: ${programs.missing.map(({ name, why }) => `${name} (${why})`).join("; ")}
`)
process.exitCode = right === verdicts.length ? 0 : 1

/** Waits until all of the night's runs have appeared: one for each source with a schedule. */
async function started(before: number): Promise<void> {
  const deadline = Date.now() + 60_000
  while ((await appliance.runs()).filter(({ id }) => id > before).length < stands.size) {
    if (Date.now() > deadline) return
    await sleep(500)
  }
}

async function judgeDay(
  number: number,
  truths: readonly Truth[],
  before: number,
  heard: number,
): Promise<void> {
  const runs = (await appliance.runs()).filter(({ id }) => id > before)
  // Webhooks go out right after a run; this gives the last ones a moment.
  const isHeard = ({ id }: Run) =>
    receiver.messages.some(({ type, data }) => type === "crawl.finished" && data["job_id"] === id)
  for (let tries = 0; tries < WEBHOOK_SECONDS && !runs.every(isHeard); tries++) await sleep(1000)
  await sleep(1000)
  const list = (await appliance.command("sources", "list")).out
  await writeFile(join(work, `list-${number}.txt`), list)
  const metrics = await appliance.call<string>("/metrics")
  for (const source of stands.keys()) {
    const truth = truths.find((one) => one.source === source)
    const calm: Truth = { source, what: WELL_WORDS, results: WELL, reason: null }
    const run = runs.find((one) => one.source === source)
    verdicts.push(judgeRun(number, truth ?? calm, run, { messages: receiver.messages, list, metrics }))
  }
  verdicts.push(...judgeAlerts(number, truths, bad, receiver.messages.slice(heard)))
  await writeFile(join(work, "verdicts.md"), report(verdicts))
}

/** The operator's actions on day 6, after the reports: approves removals, and enters the blog's new host. */
async function mendByOperator(): Promise<void> {
  await appliance.command("removals", "approve", "gitlab-pages")
  const blog = stands.get("blog")
  if (!blog) return
  declared = declared.replaceAll(`http://127.0.0.1:${blog.port}/`, `${blog.url}/`)
  await declare(declared)
}

async function declare(text: string): Promise<void> {
  await writeFile(join(work, "sources.yaml"), text)
  const { code, err, out } = await appliance.command("sources", "apply")
  if (code !== 0) throw new Error(`sources apply exited with code ${code}:\n${err}${out}`)
}

/** Asks every site's question, sick sites included, since their pages stay in the index. */
async function questions(number: number): Promise<void> {
  const found: string[] = []
  const lost: string[] = []
  for (const name of stands.keys()) {
    const asked = askedOf(name)
    if (asked.text === "") continue
    const rank = await rankOf(appliance, asked.text, asked.url)
    ;(rank > 0 && rank <= TOP ? found : lost).push(rank > 0 ? `${name} (${rank})` : name)
  }
  verdicts.push({
    day: number,
    source: "all",
    what: "every site's question is asked",
    told: `${found.length} of ${found.length + lost.length} have their page in the first ${TOP}${lost.length > 0 ? `; not ${lost.join(", ")}` : ""}`,
    when: "",
    right: lost.length === 0,
  })
}

function askedOf(name: string): { text: string; url: string } {
  const stand = stands.get(name)
  return {
    text: stand?.site.question.text ?? "",
    url: (stand?.url ?? "") + (stand?.site.question.path ?? ""),
  }
}

async function harvest(): Promise<void> {
  const harvests = [...stands.values()]
    .filter(({ site }) => site.pages.length > 0)
    .map((stand) => harvestOf(stand, pagesTold(receiver.messages, stand.name)))
  lines.push(harvestTable(harvests))
  await writeFile(join(work, "harvest.json"), JSON.stringify(harvests, null, 2))
}
