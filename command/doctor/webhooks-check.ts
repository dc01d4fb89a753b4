import { webhooksNotTaken } from "#crawler/reporting/webhooks/webhook-queue.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

export const webhooksCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "webhooks",
  async run(): Promise<Found> {
    const rows = await ask(dataDir, webhooksNotTaken)
    return rows.map(({ state, of: source, n, error }) => {
      const messages = `${counted(n, "message")} about ${source ?? "the backup"}`
      const why = error === null ? "" : ` (${error})`
      return state === "given-up"
        ? note(
            `${messages} could not be delivered${why}.`,
            "docs/notifications.md#webhooks describes how to see and resend them.",
          )
        : wrong(
            `${messages} ${n === 1 ? "is" : "are"} waiting for a receiver that does not accept them${why}.`,
            "Check that the receiver answers. Fossick retries for a day. See docs/notifications.md#webhooks.",
          )
    })
  },
})
