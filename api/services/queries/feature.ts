import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Feature } from "../../feature.ts"

interface From {
  /** The connection used for writing accounts. */
  readonly accountsDb: StateStore
  readonly accounts: Pick<Accounts, "writes">
  readonly config: { readonly queryLogDays: number }
  readonly log: Logger
}

/** The questions that were asked, if the operator has them stored. */
export const queries = {
  name: "queries",
  async open({ accountsDb, accounts, config, log }, closing) {
    const [{ QueryLog }, { tidyHourly }, { TimeGuard }] = await Promise.all([
      import("./query-log.ts"),
      import("../../identity/accounts/tidying.ts"),
      import("#base/store/clock/trusted-time.ts"),
    ])
    const opened = closing.use(new QueryLog(accountsDb, config.queryLogDays))
    closing.use(
      tidyHourly([opened], {
        writes: accounts.writes,
        guard: new TimeGuard(accountsDb),
        onProblem: (err) => log.warn({ err }, "old questions were not deleted"),
      }),
    )
    return opened
  },
} as const satisfies Feature<never, From>
