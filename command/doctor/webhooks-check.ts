import { webhooksNotTaken } from "#crawler/reporting/webhooks/webhook-queue.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

export const webhooksCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "webhooks",
  async run(): Promise<Found> {
    const rows = await ask(dataDir, webhooksNotTaken)
    return rows.map(({ state, of: source, n, error }) => {
      const whose = source ?? "the backup"
      const why = error === null ? "" : ` (${error})`
      return state === "given-up"
        ? note(
            `${n} messages of ${whose} were given up${why}.`,
            "docs/notifications.md#webhooks says how to see and repeat them.",
          )
        : wrong(
            `${n} messages of ${whose} wait for a receiver that does not take them${why}.`,
            "See that the receiver answers; they are tried again for a day. docs/notifications.md#webhooks has more.",
          )
    })
  },
})
