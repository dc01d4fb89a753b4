import { hasPages, pageCount } from "../../crawl/frontier/source-pages.ts"
import { stringify } from "yaml"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { environment, readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../settings.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { PinnedNetworks } from "../../fetch/guard/pinned-networks.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { BackupTable } from "../../upkeep/backup/scheduled/backup-table.ts"
import { sourcesFile } from "../../sources/file/find-file.ts"
import { withoutSecrets } from "../../sources/shown-source.ts"
import { listPagesForNobody } from "../../sources/readers/pages-for-nobody.ts"
import { sourceStatus, type SourceStatus } from "../../sources/source-status.ts"
import type { ListedSource } from "../../sources/source-table.ts"
import { Sources } from "../../sources/sources.ts"
import { readSourcesFile } from "../../sources/file/sources-file.ts"
import { showBackups } from "../backups/backups-session.ts"
import { backupLine } from "../backups/backups-text.ts"
import { removeNow } from "./remove-now.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { forNobodyText, listLines, say, scheduleText, teller, timeText, troubleOf } from "./sources-text.ts"

const SHOWN_RUNS = 5
/** Maximum number of pages shown that nobody is allowed to read. */
const SHOWN_PAGES = 20

/** What `fossick sources` should do with the declared sources; `run` is a crawl. */
export interface SourcesArguments {
  readonly command: "list" | "show" | "pause" | "resume" | "accept" | "delete"
  /** Name of a source; empty if none was given. */
  readonly subject: string
  readonly removePages: boolean
  readonly json: boolean
}

/** Runs one `fossick sources` command. @returns the exit code. @throws ArgumentsError, SettingsError, SourcesFileError */
export async function sources(args: SourcesArguments): Promise<number> {
  const { command, subject, json } = args
  const tell = teller(json)
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const db = await openStateStore(config.dataDir)
  try {
    const jobs = new Jobs(db)
    const sources = new Sources(db, jobs)
    const backups = new BackupTable(db)
    switch (command) {
      case "list":
        return await list(db, json, jobs, sources, backups)
      case "show":
        return await show(db, subject, json, jobs, sources, backups)
      case "pause":
        if (!(await sources.pause(subject))) return await undeclared(sources, subject)
        tell(`${subject} is paused: it doesn't run on its schedule`, { source: subject, paused: true })
        return EXIT.ok
      case "resume": {
        if (!(await sources.resume(subject))) return await undeclared(sources, subject)
        const [next] = await sources.nextRuns(subject, 1)
        tell(`${subject} was resumed; next run: ${next ? timeText(next) : "on request"}`, {
          source: subject,
          paused: false,
          nextRun: next ?? null,
        })
        return EXIT.ok
      }
      case "accept":
        if (!(await new PinnedNetworks(db).forget(subject)) && !(await sources.get(subject)))
          return unknown(subject)
        tell(`${subject}: the next run will accept the current networks of its hosts`, {
          source: subject,
          accepted: true,
        })
        return EXIT.ok
      default:
        return await forget(args, config.sourcesFile, db, jobs, sources)
    }
  } finally {
    db.close()
  }
}

/** The index supplies only the number of pages with vectors; the list can be shown without it. */
async function list(
  db: StateStore,
  json: boolean,
  jobs: Jobs,
  sources: Sources,
  backups: BackupTable,
): Promise<number> {
  const entries = await sources.listAll()
  const statuses = await statusOf(db, jobs, entries)
  if (json) for (const entry of entries) say(await asJson(entry, statuses.get(entry.source.name), sources))
  else {
    for (const line of listLines(entries, statuses)) say(line)
    const stored = await backups.plan()
    if (stored) say(backupLine(stored, await backups.last()))
  }
  return EXIT.ok
}

async function statusOf(
  db: StateStore,
  jobs: Jobs,
  entries: readonly ListedSource[],
): Promise<ReadonlyMap<string, SourceStatus>> {
  const names = entries.map(({ source }) => source.name)
  const settings = readSettings(engineSettings, environment())
  const engine = (await haveSomePages(db, names))
    ? await openEngine(settings, { mode: "read" }).catch(() => null)
    : null
  try {
    return await sourceStatus({ db, jobs, engine }, names)
  } finally {
    await engine?.[Symbol.asyncDispose]()
  }
}

async function haveSomePages(db: StateStore, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (await hasPages(db, name)) return true
  return false
}

async function asJson(
  entry: ListedSource,
  status: SourceStatus | undefined,
  sources: Sources,
): Promise<string> {
  return JSON.stringify({
    ...entry,
    source: withoutSecrets(entry.source),
    spec: withoutSecrets(entry.spec),
    nextRuns: await sources.nextRuns(entry.source.name, SHOWN_RUNS),
    pages: status?.pages ?? 0,
    pagesWithVectors: status?.pagesWithVectors ?? null,
    pagesForNobody: status?.pagesForNobody ?? 0,
    lastResult: status?.lastResult ?? null,
    lastJob: status?.lastJob?.id ?? null,
  })
}

const DECLARED: Readonly<Record<ListedSource["origin"], string>> = {
  file: "in the sources file",
  api: "over the API",
  "one-off": "not declared: a one-off crawl",
}

/** The name `backup` shows the block `backup`, unless a source has that name. */
async function show(
  db: StateStore,
  name: string,
  json: boolean,
  jobs: Jobs,
  sources: Sources,
  backups: BackupTable,
): Promise<number> {
  const entry = await sources.getListed(name)
  if (!entry)
    return name === "backup" && (await backups.plan()) ? await showBackups(backups, json) : unknown(name)
  const source = withoutSecrets(entry.source)
  const nextRuns = await sources.nextRuns(name, SHOWN_RUNS)
  const status = (await statusOf(db, jobs, [entry])).get(name)
  const last = status?.lastJob ?? null
  if (json) {
    say(await asJson(entry, status, sources))
    return EXIT.ok
  }
  say(stringify(source).trimEnd())
  say("")
  say(`declared    ${DECLARED[entry.origin]}`)
  say(
    `schedule    ${source.schedule ? scheduleText(source.schedule) : "none"}${entry.paused ? ", paused" : ""}`,
  )
  for (const [index, time] of nextRuns.entries())
    say(`${index === 0 ? "next runs " : "          "}  ${timeText(time)}`)
  say(
    `last run    ${last ? `${(last.result ?? last.state).replaceAll("-", " ")} ${timeText(last.endedAt ?? last.createdAt)} (job ${last.id})` : "never"}`,
  )
  const trouble = troubleOf(last)
  if (trouble) say(`            ${trouble}`)
  say(`pages       ${status?.pages ?? 0}`)
  const hidden = forNobodyText(status?.pagesForNobody ?? 0)
  if (hidden !== null) {
    say(`            ${hidden}`)
    for (const url of await listPagesForNobody(db, name, SHOWN_PAGES)) say(`            ${url}`)
  }
  const changes = status?.lastResult
  if (changes) {
    say(
      `last result ${changes.new} new, ${changes.changed} changed, ${changes.gone} removed, ${changes.failed} failed (job ${changes.job})`,
    )
  }
  return EXIT.ok
}

/** Deletes a source or a one-off crawl, or the pages stored under any other name. */
async function forget(
  { subject, removePages, json }: SourcesArguments,
  named: string,
  db: StateStore,
  jobs: Jobs,
  sources: Sources,
): Promise<number> {
  const entry = await sources.getListed(subject)
  if (entry?.origin === "file") {
    const file = sourcesFile(named)
    if (file !== null && readSourcesFile(file).sources.some(({ name }) => name === subject)) {
      throw new ArgumentsError(
        `${subject} is declared in ${file}: remove it there, then run fossick sources apply`,
      )
    }
  }
  const pages = await pageCount(db, subject)
  if (!entry && !(removePages && pages > 0)) return unknown(subject)
  if (entry) await sources.delete(subject, { origin: "file", removePages })
  else await sources.removePages(subject)
  const kept = `its ${counted(pages, "page")} stay${pages === 1 ? "s" : ""} in the index, and it is listed as a one-off crawl`
  const fate = removePages ? `its ${counted(pages, "page")} will be removed` : kept
  teller(json)(`${subject} was deleted; ${pages === 0 ? "it had no pages" : fate}`, {
    source: subject,
    deleted: true,
    pages,
    removePages,
  })
  return (await sources.removals()).includes(subject) ? await removeNow(db, jobs, sources, json) : EXIT.ok
}

async function undeclared(sources: Sources, name: string): Promise<number> {
  if ((await sources.getListed(name)) === null) return unknown(name)
  process.stderr.write(`${name} is a one-off crawl: it has no schedule.\n`)
  return EXIT.failed
}

function unknown(name: string): number {
  process.stderr.write(
    `There is no source ${JSON.stringify(name)}. To see all sources, run fossick sources list.\n`,
  )
  return EXIT.failed
}
