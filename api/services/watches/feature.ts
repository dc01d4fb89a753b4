import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Feature } from "../../feature.ts"
import type { Watches } from "./open-watches.ts"
import type { WatchNeeds } from "./routes.ts"
import type { ReadQuestion } from "./watch.ts"
import { watchSettings } from "./settings.ts"
import type { OpenWatchesParts } from "./open-watches.ts"

interface From extends Omit<OpenWatchesParts, "keys" | "pollMs"> {
  readonly accounts: Pick<Accounts, "keys">
}

interface Needs extends Omit<WatchNeeds, "watches" | "readQuestion"> {
  /** The watches; if left out, they are not available. */
  readonly watches?: Watches
}

/**
 * Saved questions, sources and pages whose changes are reported.
 * @param loadQuestions loads the formats in which questions are asked
 */
export const watchesOf = (loadQuestions: () => Promise<ReadQuestion>) => {
  const feature = {
    name: "watches",
    settings: watchSettings,
    async open({ accounts, ...parts }, closing) {
      const { openWatches } = await import("./open-watches.ts")
      return closing.use(await openWatches({ ...parts, keys: accounts.keys }))
    },
    async describe() {
      const { watchOperations } = await import("./described/operations.ts")
      return { operations: Object.values(watchOperations) }
    },
    async serve(router, { watches: opened, ...needs }) {
      if (opened === undefined) return undefined
      const [{ WATCH_PATH, watchRoutes }, readQuestion] = await Promise.all([
        import("./routes.ts"),
        loadQuestions(),
      ])
      watchRoutes(router, { ...needs, watches: opened, readQuestion })
      if (needs.readOnly === null) {
        opened.start(
          (key) => needs.admissions.reach({ ...key, isPatient: true }),
          (search, names) => readQuestion(search, needs.config, names),
        )
      }
      return { endpoints: [WATCH_PATH] }
    },
  } as const satisfies Feature<Needs, From>
  return feature
}
