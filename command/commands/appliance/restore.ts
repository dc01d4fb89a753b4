import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

const MOST_PORT = 65_535

export const restore = command({
  changes: ({ options }) => !options.verify && options.into === undefined,
  about: `Restores a backup into the data folder and index given in the settings, whichever engine it was made with.
The file is checked first, and nothing is replaced before the whole backup is restored. With --into, the backup is
restored into another folder. With --read-only-start, it is also served from there until Ctrl-C, alongside the running
appliance: a restore drill, which crawls nothing and sends nothing.`,
  args: { file: { about: "the file to read", complete: "files" } },
  options: {
    verify: { about: "only check every hash in the file" },
    force: {
      about: "restore even if the data folder is not empty; its contents are moved aside, not deleted",
    },
    into: {
      value: "folder",
      about: "restore everything, including the index, into this folder, and leave the data folder alone",
      complete: "files",
    },
    "read-only-start": {
      about:
        "serve the --into folder without crawling or sending anything, and report at the end what was checked",
    },
    port: {
      value: "n",
      about: "port for --read-only-start, on this machine only; default: any free port",
    },
  },
  examples: [
    { line: "fossick restore fossick.tar --verify", about: "checks the file, changes nothing" },
    { line: "fossick restore fossick.tar", about: "into an empty data folder" },
    {
      line: "fossick restore fossick.tar --into /tmp/drill --read-only-start",
      about: "tries out the backup alongside the running appliance",
    },
  ],
  outlivesReader: true,
  async run({ args: { file }, options, json }) {
    const { verify, force, into } = options
    const start = options["read-only-start"]
    if (verify && force)
      throw new ArgumentsError("--verify restores nothing, so it cannot be combined with --force")
    if (verify && into !== undefined)
      throw new ArgumentsError("--verify restores nothing, so it cannot be combined with --into")
    if (force && into !== undefined)
      throw new ArgumentsError("--into needs an empty folder, so it cannot be combined with --force")
    if (start && into === undefined) throw new ArgumentsError("--read-only-start needs --into")
    if (options.port !== undefined && !start) throw new ArgumentsError("--port needs --read-only-start")
    const port = Number(options.port ?? "0")
    if (!Number.isInteger(port) || port < 0 || port > MOST_PORT)
      throw new ArgumentsError(`--port must be a whole number from 0 to ${MOST_PORT}`)
    if (into !== undefined) {
      const { drill } = await import("../../../api/operator/commands/drill-session.ts")
      return await drill({ file, into, start, port, json })
    }
    const { runRestore, runVerify } = await import("#crawler/upkeep/backup/run-restore.ts")
    if (verify) return await runVerify(file, json)
    const { openStateParts: openParts } = await import("../../../api/operator/upkeep/state-parts.ts")
    return await runRestore(file, { force, json, openParts })
  },
})
