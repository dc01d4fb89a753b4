import { toldAlerts } from "#crawler/reporting/alerts/alert-book.ts"
import { alertsNotTaken } from "#crawler/reporting/alerts/alert-outbox.ts"
import { CHANNELS } from "#crawler/reporting/alerts/channels/registry.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

/** Contradictory settings of alerts, alerts that are not over, and undelivered messages. */
export const alertsCheck = (settings: DoctorSettings): Check => ({
  name: "alerts",
  async run(): Promise<Found> {
    const { dataDir } = settings
    const wrongSettings = CHANNELS.flatMap(({ called, problems }) =>
      problems(settings).map((problem) =>
        wrong(`${problem}.`, `Until then no ${called.one} is sent; docs/notifications.md#alerts has more.`),
      ),
    )
    const told = (await ask(dataDir, toldAlerts)).map(({ about, name, bad_runs: runs, reason }) =>
      note(
        `${about === "backup" ? "The backup" : "The source"} ${name} went wrong ${runs} times in a row: ${reason ?? "no reason given"}.`,
        about === "backup" ? "fossick backups list says more." : "fossick jobs list says more.",
      ),
    )
    const waiting = (await ask(dataDir, alertsNotTaken)).flatMap(({ of: channel, state, n, error }) => {
      const found = CHANNELS.find(({ name }) => name === channel)
      if (found === undefined) return []
      const { called, settings: names } = found
      if (state === "given-up") return note(`${n} ${called.many} were given up (${String(error)}).`)
      return wrong(
        `${n} ${called.many} wait for ${called.server} that does not take them (${String(error)}).`,
        `See to ${names}; they are tried again for a day. docs/notifications.md#alerts has more.`,
      )
    })
    return [wrongSettings, told, waiting]
  },
})
