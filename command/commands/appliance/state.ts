import { command, type GroupSpec } from "../../spec.ts"

export const state: GroupSpec = {
  about: `Keys, sources, jobs, usage and everything else outside the index are in state.db in the data folder, or in a
PostgreSQL database (FOSSICK_STATE).`,
  commands: {
    move: command({
      about: `Copies the state to its new place, reads the copy back and compares every table by its number of rows and
a hash of them. Only then is state.db moved aside. Stop the appliance first.`,
      options: {
        to: {
          value: "place",
          about: "an address such as postgres://user@host/database, or file for state.db",
        },
      },
      examples: [
        { line: "fossick state move --to postgres://fossick@db/fossick", about: "from the data folder" },
        { line: "fossick state move --to file", about: "back, from the database set in FOSSICK_STATE" },
      ],
      async run({ options, json }) {
        const { moveState } = await import("#crawler/commands/state-session.ts")
        const { openStateParts } = await import("../../../api/operator/upkeep/state-parts.ts")
        return await moveState(options.to, json, openStateParts)
      },
    }),
  },
}
