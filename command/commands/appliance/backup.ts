import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const backup = command({
  about: `Writes all that the appliance keeps into one file, a tar archive: keys, sources, crawls, the index, thumbnails.
The appliance may serve and crawl meanwhile. fossick restore brings it back, also into another engine.`,
  args: { file: { about: "the file to write; - is the standard output", complete: "files" } },
  options: { force: { about: "replace the file if it is there" } },
  examples: [
    { line: "fossick backup /backups/fossick.tar", about: "into a file" },
    { line: "fossick backup - | gzip > fossick.tar.gz", about: "through another program" },
  ],
  async run({ args: { file }, options, json }) {
    if (file === "-" && json) throw new ArgumentsError("--json and - both want the standard output")
    const { runBackup } = await import("#crawler/upkeep/backup/run-backup.ts")
    return await runBackup(file, { ...options, json })
  },
})
