import { stringify } from "yaml"
import { EngineError } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../config.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { Jobs } from "../../jobs/jobs.ts"
import type { Job } from "../../job.ts"
import { runCommand } from "#base/run-command.ts"
import { PinnedNetworks } from "../../fetch/pinned-networks.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { sourcesFile } from "../../sources/find-file.ts"
import { applySources, planSources } from "../../sources/plan.ts"
import { removeAskedPages } from "../../removals/remove-pages.ts"
import { withoutSecrets } from "../../sources/shown-source.ts"
import type { SourceEntry } from "../../sources/source-table.ts"
import { Sources } from "../../sources/sources.ts"
import { parseSourcesArguments, SOURCES_HELP, type SourcesArguments } from "./sources-arguments.ts"
import { readSourcesFile, SourcesFileError } from "../../sources/sources-file.ts"
import { listLines, planLines, scheduleText, timeText, troubleOf } from "./sources-text.ts"

// `npm run sources`.

/** Arguments, settings, or the file. */
const BAD_INPUT = 2
/** A name that is not declared, or an index that cannot be written. */
const FAILED = 1
const SHOWN_RUNS = 5

await runCommand("sources", async () => {
  const parsed = parseSourcesArguments(process.argv.slice(2))
  if (parsed === null) {
    process.stdout.write(SOURCES_HELP)
    return 0
  }
  if (parsed.command === "run") {
    const { crawl } = await import("../crawl/crawl-session.ts")
    return await crawl({ source: null, name: parsed.subject, json: parsed.json })
  }
  try {
    return await perform({ ...parsed, command: parsed.command })
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    process.stderr.write(`${error.message}\n`)
    return BAD_INPUT
  }
})

async function perform(
  args: SourcesArguments & { readonly command: Exclude<SourcesArguments["command"], "run"> },
): Promise<number> {
  const { command, subject, json, removePages } = args
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  if (command === "validate") {
    const file = fileFor(subject, config.sourcesFile)
    say(`${file}: ${counted(readSourcesFile(file).length, "source")}, nothing wrong`)
    return 0
  }
  const db = openStateStore(config.dataDir)
  try {
    const jobs = new Jobs(db)
    const sources = new Sources(db, jobs)
    switch (command) {
      case "plan":
      case "apply": {
        const specs = readSourcesFile(fileFor(subject, config.sourcesFile))
        for (const line of planLines(planSources(db, sources, specs), removePages)) say(line)
        if (command === "plan") return 0
        applySources(sources, specs, { removePages })
        return removePages ? await removeNow(db, jobs, sources) : 0
      }
      case "list":
        return list(json, jobs, sources)
      case "show":
        return show(subject, json, jobs, sources)
      case "pause":
        if (!sources.pause(subject)) return unknown(subject)
        say(`${subject} is paused: its schedule runs it no more`)
        return 0
      case "resume": {
        if (!sources.resume(subject)) return unknown(subject)
        const [next] = sources.nextRuns(subject, 1)
        say(`${subject} goes on; next run: ${next ? timeText(next) : "when asked"}`)
        return 0
      }
      case "accept":
        if (!new PinnedNetworks(db).forget(subject) && !sources.get(subject)) return unknown(subject)
        say(`${subject}: the next run takes its hosts to be where it finds them`)
        return 0
      default:
        return await forget(args, config.sourcesFile, db, jobs, sources)
    }
  } finally {
    db.close()
  }
}

function list(json: boolean, jobs: Jobs, sources: Sources): number {
  const entries = sources.list()
  const last = new Map<string, Job>()
  for (const { source } of entries) {
    const [job] = jobs.list({ source: source.name, limit: 1 })
    if (job) last.set(source.name, job)
  }
  if (json) for (const entry of entries) say(asJson(entry, last.get(entry.source.name), sources))
  else for (const line of listLines(entries, last)) say(line)
  return 0
}

function asJson(entry: SourceEntry, last: Job | undefined, sources: Sources): string {
  return JSON.stringify({
    ...entry,
    source: withoutSecrets(entry.source),
    spec: withoutSecrets(entry.spec),
    nextRuns: sources.nextRuns(entry.source.name, SHOWN_RUNS),
    lastJob: last?.id ?? null,
  })
}

function show(name: string, json: boolean, jobs: Jobs, sources: Sources): number {
  const entry = sources.get(name)
  if (!entry) return unknown(name)
  const source = withoutSecrets(entry.source)
  const nextRuns = sources.nextRuns(name, SHOWN_RUNS)
  const [last] = jobs.list({ source: name, limit: 1 })
  if (json) {
    say(asJson(entry, last, sources))
    return 0
  }
  say(stringify(source).trimEnd())
  say("")
  say(`declared    ${entry.origin === "file" ? "by the file of sources" : "over the API"}`)
  say(
    `schedule    ${source.schedule ? scheduleText(source.schedule) : "none"}${entry.paused ? ", paused" : ""}`,
  )
  for (const [index, time] of nextRuns.entries())
    say(`${index === 0 ? "next runs " : "          "}  ${timeText(time)}`)
  say(
    `last run    ${last ? `${last.state} ${timeText(last.endedAt ?? last.createdAt)} (job ${last.id})` : "never"}`,
  )
  const trouble = last && troubleOf(last)
  if (trouble) say(`            ${trouble}`)
  return 0
}

/** Deletes a source, or the pages of a name that is none. */
async function forget(
  { subject, removePages }: SourcesArguments,
  named: string,
  db: StateStore,
  jobs: Jobs,
  sources: Sources,
): Promise<number> {
  const entry = sources.get(subject)
  if (entry?.origin === "file") {
    const file = sourcesFile(named)
    if (file !== null && readSourcesFile(file).some(({ name }) => name === subject)) {
      throw new ArgumentsError(
        `${subject} is declared in ${file}: take it out there, then npm run sources -- apply`,
      )
    }
  }
  const pages = Number(
    db
      .prepare("select count(*) as n from known_address where source = ? and hash is not null")
      .get(subject)?.["n"],
  )
  if (!entry && !(removePages && pages > 0)) return unknown(subject)
  if (entry) sources.delete(subject, { origin: "file", removePages })
  else sources.removePages(subject)
  const kept = `its ${counted(pages, "page")} stay${pages === 1 ? "s" : ""} in the index`
  say(`${subject} is deleted; ${removePages ? `${counted(pages, "page")} to remove` : kept}`)
  return removePages ? await removeNow(db, jobs, sources) : 0
}

/** A running appliance removes pages by itself; without one it is done here. */
async function removeNow(db: StateStore, jobs: Jobs, sources: Sources): Promise<number> {
  if (sources.removals().length === 0) return 0
  if (jobs.hasCrawler()) {
    say("The appliance removes the pages now.")
    return 0
  }
  try {
    await using engine = await openEngine(readSettings(engineSettings, environment()), { mode: "write" })
    const removed = await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    say(`${counted(removed, "page")} removed`)
    return 0
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\nThe pages are removed at the next start.\n`)
    return FAILED
  }
}

/** @throws ArgumentsError when there is none. */
function fileFor(given: string, named: string): string {
  const file = given === "" ? sourcesFile(named) : given
  if (file === null) {
    throw new ArgumentsError("There is no sources.yaml here, and FOSSICK_SOURCES_FILE names no other file")
  }
  return file
}

function unknown(name: string): number {
  process.stderr.write(`No source is called ${JSON.stringify(name)}; npm run sources -- list shows all.\n`)
  return FAILED
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
