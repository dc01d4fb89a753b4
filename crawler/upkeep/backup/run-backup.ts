import { existsSync } from "node:fs"
import path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { engineSettings } from "#engine/settings.ts"
import { bytesText, CommandProgress, counted } from "#engine/commands/command-progress.ts"
import { fileProblem } from "#engine/lifecycle/move/file-problem.ts"
import { interruptible } from "#engine/lifecycle/move/interruptible.ts"
import { openEngine } from "#engine/open-engine.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { writeBackupFile } from "./backup-file.ts"
import { writeBackup } from "./write-backup.ts"

export async function runBackup(
  file: string,
  { force, json }: { readonly force: boolean; readonly json: boolean },
): Promise<number> {
  const isStream = file === "-"
  if (isStream && process.stdout.isTTY)
    throw new CommandError("A backup can't be written to a terminal. Redirect the output to a file.")
  if (!isStream && !force && existsSync(file)) {
    throw new CommandError(`${file} already exists. To replace it, use --force.`)
  }
  const settings = readSettings(engineSettings, environment())
  if (settings.state === "" && !existsSync(path.join(settings.dataDir, "state.db"))) {
    throw new CommandError(`There is nothing to back up: ${settings.dataDir} has no state.db.`)
  }
  const progress = new CommandProgress()
  const startedAt = steadyNow()
  return await interruptible(
    async (signal) => {
      const db = await openStateStore(settings.dataDir)
      try {
        await using engine = await openEngine(settings, { mode: "read" })
        const { pages } = await engine.stats()
        progress.say(`Backing up ${counted(pages, "page")} and related data.`)
        const backup = writeBackup({
          dataDir: settings.dataDir,
          db,
          engine,
          scratchDir: isStream ? settings.dataDir : path.dirname(file),
          signal,
          onProgress: (what, count) =>
            progress.show(() =>
              what === "state"
                ? "copying state.db"
                : `${counted(count, what === "index" ? "page" : "thumbnail")} copied`,
            ),
        })
        let bytes
        try {
          bytes = isStream ? await toStdout(backup) : await writeBackupFile(backup, file)
        } catch (error) {
          throw signal.aborted ? signal.reason : fileProblem(error, isStream ? "standard output" : file)
        }
        const seconds = Math.round((steadyNow() - startedAt) / 100) / 10
        progress.say(
          `Done: ${bytesText(bytes)} in ${seconds} s. To check it, run fossick restore ${isStream ? "<file>" : file} --verify.`,
        )
        if (json) process.stdout.write(`${JSON.stringify({ file, bytes, seconds })}\n`)
        return 0
      } finally {
        db.close()
      }
    },
    () => {
      progress.say("Stopped. No backup was made.")
    },
  )
}

async function toStdout(backup: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  const count = async function* () {
    for await (const chunk of backup) {
      bytes += chunk.length
      yield chunk
    }
  }
  await pipeline(Readable.from(count(), { objectMode: false, highWaterMark: 1 }), process.stdout, {
    end: false,
  })
  return bytes
}
