import { sql } from "kysely"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

interface NotTaken {
  readonly state: "waiting" | "given-up"
  /** Null: a backup's. */
  readonly source: string | null
  readonly n: number
  readonly error: string | null
}

export const webhooksCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "webhooks",
  async run(): Promise<Found> {
    const rows = await ask(
      dataDir,
      sql<NotTaken>`select state, source, count(*) as n, max(error) as error from webhook_delivery
       where state = 'given-up' or (state = 'waiting' and attempts > 0) group by state, source`,
    )
    return rows.map(({ state, source, n, error }) => {
      const whose = source ?? "the backup"
      const why = error === null ? "" : ` (${error})`
      return state === "given-up"
        ? note(
            `${n} messages of ${whose} were given up${why}.`,
            "docs/webhooks.md says how to see and repeat them.",
          )
        : wrong(
            `${n} messages of ${whose} wait for a receiver that does not take them${why}.`,
            "See that the receiver answers; they are tried again for a day. docs/webhooks.md has more.",
          )
    })
  },
})
