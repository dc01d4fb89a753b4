import { createReadStream } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { steadyNow } from "#base/steady-time.ts"
import { engineSettings } from "../settings.ts"
import type { Engine, EngineStats } from "../engine.ts"
import { openEngine } from "../open-engine.ts"
import { CommandError } from "#base/run-command.ts"
import { DiskRoom } from "#base/disk-space.ts"
import { environment, readSettings } from "#base/settings.ts"
import { CommandProgress, counted, timeLeft } from "./command-progress.ts"
import { differenceLines, isSound } from "./difference-lines.ts"
import type { ExportHeader } from "../lifecycle/move/format/export-format.ts"
import { fileProblem } from "../lifecycle/move/file-problem.ts"
import { fits, type ImportOptions, importPages } from "../lifecycle/move/import-pages.ts"
import { interruptible } from "../lifecycle/move/interruptible.ts"
import { ExportReader } from "../lifecycle/move/format/read-export.ts"

const FAILED = 1
const POLL_MS = 500

interface RunImportOptions extends Pick<ImportOptions, "onPage"> {
  readonly replace: boolean
  readonly json: boolean
}

export async function runImport(file: string, { replace, json, onPage }: RunImportOptions): Promise<number> {
  const isStream = file === "-"
  if (isStream && process.stdin.isTTY)
    throw new CommandError("An export can't be typed in. Redirect the input from a file.")
  const name = isStream ? "standard input" : file
  const openFile = () => ExportReader.open(isStream ? process.stdin : createReadStream(file), name)
  const settings = readSettings(engineSettings, environment())
  const progress = new CommandProgress()
  const problem = (error: unknown) => fileProblem(error, name)
  return await interruptible(
    async (signal) => {
      // Nothing is written from a file unless all of it is intact. A stream can only be read once, so it isn't checked
      // first.
      if (!isStream) await check(openFile).catch((error: unknown) => Promise.reject(problem(error)))
      const reader = await openFile().catch((error: unknown) => Promise.reject(problem(error)))
      new DiskRoom(settings.dataDir, settings.minFreeMb).assertRoom()
      await using engine = await openEngine(settings, {
        mode: "write",
        vectorsOf: reader.header.embedder,
        onProblem: (error) => progress.say(`Trying again: ${(error as Error).message}`),
      })
      const before = await engine.stats()
      for (const line of forewarning(reader.header, before, replace)) progress.say(line)
      const startedAt = steadyNow()
      const result = await importPages(engine, reader, {
        replace,
        signal,
        ...(onPage && { onPage }),
        onProgress: (pages) => progress.show(() => `${counted(pages, "page")} read`),
        onCompare: (pages) => progress.show(() => `${counted(pages, "page")} compared`),
      })
      const seconds = Math.round((steadyNow() - startedAt) / 100) / 10
      const { totals, written, unchanged, others, differences } = result
      const there = unchanged > 0 ? `, ${unchanged} were already there` : ""
      progress.say(`Done: ${counted(written, "page")} written in ${seconds} s${there}.`)
      if (others > 0)
        progress.say(`${counted(others, "page")} not in the file: ${replace ? "removed" : "kept"}.`)
      for (const line of await differenceLines(differences, isStream ? null : openFile)) progress.say(line)
      if (json) {
        process.stdout.write(
          `${JSON.stringify({ file, ...totals, written, unchanged, others, differences, seconds })}\n`,
        )
      }
      await embedRest(engine, progress, signal)
      return isSound(differences) ? 0 : FAILED
    },
    () => {
      progress.say("Stopped; the imported pages are kept. Run the same command to continue from here.")
    },
  )
}

async function check(openFile: () => Promise<ExportReader>): Promise<void> {
  await (await openFile()).check()
}

/** Announces what the import will do. */
function* forewarning(header: ExportHeader, before: EngineStats, replace: boolean): Generator<string> {
  yield `Importing the export made by Fossick ${header.fossick} at ${header.createdAt}.`
  if (before.pages > 0) {
    yield `The index contains ${counted(before.pages, "page")}: those with the same address will be replaced, ${replace ? "those that are not in the file will be removed" : "the others will be kept"}.`
  }
  if (!fits(header, before)) {
    yield `The vectors in the file are from another model (${header.embedder}, this index has ${before.embedder}): the pages will be imported without them, found by their words at once, and then embedded.`
  }
}

/** Waits until the index has created the vectors of pages that came without them. */
async function embedRest(engine: Engine, progress: CommandProgress, signal: AbortSignal): Promise<void> {
  const { pagesWithoutVectors: all } = await engine.stats()
  if (all === 0) return
  progress.say(
    `Embedding ${counted(all, "page")}. Stop with Ctrl-C at any time; fossick start or fossick index upgrade will continue.`,
  )
  const startedAt = steadyNow()
  const settled = engine.settled().then(() => true)
  settled.catch(() => undefined)
  while (!(await Promise.race([settled, sleep(POLL_MS, false, { signal })]).catch(rethrowReason(signal)))) {
    const { pagesWithoutVectors: left } = await engine.stats()
    progress.show(
      () => `${all - left} of ${counted(all, "page")} embedded${timeLeft(all - left, all, startedAt)}`,
    )
  }
  progress.say("All pages have their vectors.")
}

/** When timers are aborted, they throw an error of their own. */
const rethrowReason = (signal: AbortSignal) => (error: unknown) => {
  throw signal.aborted ? signal.reason : error
}
