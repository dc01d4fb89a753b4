import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Feature } from "../../feature.ts"
import type { QuestionMeter } from "./question-meter.ts"

interface From {
  /** The connection that the accounts use for writes. */
  readonly accountsDb: StateStore
  readonly accounts: Pick<Accounts, "writes">
  readonly engine: Engine
  readonly engineConfig: { readonly dataDir: string }
  readonly questions: QuestionMeter
  readonly log: Logger
}

/** How the appliance performed over the last few days, as samples. */
export const history = {
  name: "history",
  async open({ accountsDb, accounts, engine, engineConfig, questions, log }, closing) {
    const [{ History }, { keepHistory }] = await Promise.all([
      import("./history.ts"),
      import("./keep-history.ts"),
    ])
    const { dataDir } = engineConfig
    const opened = await History.open({ db: accountsDb, engine, dataDir, questions })
    closing.use(
      keepHistory(opened, {
        writes: accounts.writes,
        onProblem: (err) => log.warn({ err }, "a sample of the history was lost"),
      }),
    )
    return opened
  },
} as const satisfies Feature<never, From>
