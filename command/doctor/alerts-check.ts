import { toldAlerts } from "#crawler/reporting/alerts/alert-book.ts"
import { alertsNotTaken } from "#crawler/reporting/alerts/alert-outbox.ts"
import { CHANNELS } from "#crawler/reporting/alerts/channels/registry.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

/** Finds contradictory alert settings, open alerts, and undelivered messages. */
export const alertsCheck = (settings: DoctorSettings): Check => ({
  name: "alerts",
  async run(): Promise<Found> {
    const { dataDir } = settings
    const wrongSettings = CHANNELS.flatMap(({ called, problems }) =>
      problems(settings).map((problem) =>
        wrong(
          `${problem}.`,
          `Until you correct this, no ${called.one} will be sent. See docs/notifications.md#alerts.`,
        ),
      ),
    )
    const told = (await ask(dataDir, toldAlerts)).map(({ about, name, bad_runs: runs, reason }) =>
      note(
        `${about === "backup" ? "The backup" : "The source"} ${name} failed or had problems ${runs} times in a row: ${reason ?? "no reason given"}.`,
        about === "backup" ? "See fossick backups list." : "See fossick jobs list.",
      ),
    )
    const waiting = (await ask(dataDir, alertsNotTaken)).flatMap(({ of: channel, state, n, error }) => {
      const found = CHANNELS.find(({ name }) => name === channel)
      if (found === undefined) return []
      const { called, settings: names } = found
      const messages = counted(n, called.one)
      if (state === "given-up") return note(`${messages} could not be delivered (${String(error)}).`)
      return wrong(
        `${messages} ${n === 1 ? "is" : "are"} waiting for ${called.server} that does not accept them (${String(error)}).`,
        `Check ${names}. Fossick retries for a day. See docs/notifications.md#alerts.`,
      )
    })
    return [wrongSettings, told, waiting]
  },
})
