import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("#crawler/commands/backups/backups-session.ts")

export const backups: GroupSpec = {
  about: `Shows the scheduled backups, which are declared in the backup block of the sources file, and makes one now.`,
  commands: {
    list: command({
      about: "Shows when the next backup is due, and how the last ones ended.",
      examples: [{ line: "fossick backups list", about: "the latest twenty" }],
      run: async ({ json }) => await (await session()).listBackups(json),
    }),
    run: command({
      changes: () => true,
      about: "Makes a backup now, as the schedule would: it is checked, and replaces the oldest.",
      examples: [{ line: "fossick backups run", about: "whether or not the appliance is running" }],
      run: async ({ json }) => await (await session()).runBackup(json),
    }),
  },
}
