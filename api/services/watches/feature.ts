import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { DiskRoom } from "#base/disk-space.ts"
import type { Feature } from "../../feature.ts"
import type { PageKnowledge } from "../pages/page-knowledge.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { Watches } from "./open-watches.ts"
import type { ReadQuestion } from "./watch.ts"
import { watchSettings } from "./settings.ts"
import type { OpenWatchesParts } from "./open-watches.ts"

interface From extends Omit<OpenWatchesParts, "keys" | "pollMs"> {
  readonly accounts: Pick<Accounts, "keys">
}

interface Needs {
  /** Left out: none are served. */
  readonly watches?: Watches
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  readonly pages: PageKnowledge
  readonly config: SearchLimits & {
    readonly bodyLimit: number
    readonly publicUrl: string
    readonly watchesPerKey: number
    readonly watchEmails: readonly string[]
  }
  /** The disk of the data folder. */
  readonly mayKeep: Pick<DiskRoom, "isLow">
  readonly readOnly: string | null
}

/**
 * Saved questions, sources and pages whose changes are reported.
 * @param loadQuestions loads the words in which questions are asked
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
      const { watchOperations, watchSchemas } = await import("./described/operations.ts")
      return { operations: watchOperations, schemas: watchSchemas }
    },
    async serve(router, { watches: opened, accounts, admissions, pages, config, mayKeep, readOnly }) {
      if (opened === undefined) return undefined
      const [{ WATCH_PATH, watchRoutes }, readQuestion] = await Promise.all([
        import("./routes.ts"),
        loadQuestions(),
      ])
      watchRoutes(router, {
        watches: opened,
        keys: accounts.keys,
        admissions,
        knowledge: pages,
        config,
        room: mayKeep,
        readOnly,
        readQuestion,
      })
      if (readOnly === null) {
        opened.start(
          (key) => admissions.reach({ ...key, isPatient: true }),
          (search, names) => readQuestion(search, config, names),
        )
      }
      return { endpoints: [WATCH_PATH] }
    },
  } as const satisfies Feature<Needs, From>
  return feature
}
