import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const restore = command({
  about: `Brings a backup into the data folder and the index that the settings name, whatever engine it was made on. The
file is checked first, and nothing takes its place before all of it is there.`,
  args: { file: { about: "the file to read", complete: "files" } },
  options: {
    verify: { about: "only check the file: every hash in it" },
    force: {
      about: "restore although there is something; the data folder's contents are put aside, not deleted",
    },
  },
  examples: [
    { line: "fossick restore fossick.tar --verify", about: "checks the file, changes nothing" },
    { line: "fossick restore fossick.tar", about: "into an empty data folder" },
  ],
  async run({ args: { file }, options: { verify, force }, json }) {
    if (verify && force) throw new ArgumentsError("--verify restores nothing, so --force is too much")
    const { runRestore, runVerify } = await import("#crawler/backup/run-restore.ts")
    return verify ? await runVerify(file, json) : await runRestore(file, { force, json })
  },
})
