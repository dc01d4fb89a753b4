import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("#crawler/commands/backups/backups-session.ts")

export const backups: GroupSpec = {
  about: `Shows the backups that the appliance makes by schedule, as the block backup of the file of sources says, and
makes one now.`,
  commands: {
    list: command({
      about: "Shows when the next one is due, and how the last ones ended.",
      examples: [{ line: "fossick backups list", about: "the newest twenty" }],
      run: async ({ json }) => await (await session()).listBackups(json),
    }),
    run: command({
      changes: () => true,
      about: "Makes one now, as the schedule would: checked, and in the place of the oldest.",
      examples: [{ line: "fossick backups run", about: "whether the appliance runs or not" }],
      run: async ({ json }) => await (await session()).runBackup(json),
    }),
  },
}
