import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

export const webhooksCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "webhooks",
  async run(): Promise<Found> {
    const rows = await ask(
      dataDir,
      `select state, source, count(*) as n, max(error) as error from webhook_delivery
       where state = 'given-up' or (state = 'waiting' and attempts > 0) group by state, source`,
    )
    return rows.map(({ state, source, n, error }) => {
      const whose = typeof source === "string" ? source : "the backup"
      const why = typeof error === "string" ? ` (${error})` : ""
      return state === "given-up"
        ? note(
            `${String(n)} messages of ${whose} were given up${why}.`,
            "docs/webhooks.md says how to see and repeat them.",
          )
        : wrong(
            `${String(n)} messages of ${whose} wait for a receiver that does not take them${why}.`,
            "See that the receiver answers; they are tried again for a day. docs/webhooks.md has more.",
          )
    })
  },
})
