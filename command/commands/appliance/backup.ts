import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const backup = command({
  about: `Writes everything that the appliance stores into one tar archive: keys, sources, crawls, the index, thumbnails.
The appliance can keep serving and crawling in the meantime. fossick restore restores the archive, even into another engine.`,
  args: { file: { about: "the file to write; - for standard output", complete: "files" } },
  options: { force: { about: "replace the file if it exists" } },
  examples: [
    { line: "fossick backup /backups/fossick.tar", about: "into a file" },
    { line: "fossick backup - | gzip > fossick.tar.gz", about: "through another program" },
  ],
  async run({ args: { file }, options, json }) {
    if (file === "-" && json)
      throw new ArgumentsError("--json and - both use standard output: use only one of them")
    const { runBackup } = await import("#crawler/upkeep/backup/run-backup.ts")
    return await runBackup(file, { ...options, json })
  },
})
