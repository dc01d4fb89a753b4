import type { Logger } from "pino"

import type { DiskRoom } from "#base/disk-space.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Feature } from "../../feature.ts"
import type { OpenedResearch } from "./research.ts"
import type { ResearchNeeds } from "./routes.ts"
import { researchSettings } from "./settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { LivingProcess } from "#base/store/processes/keep-alive.ts"
import type { Values } from "#base/settings.ts"
import type { Embedder } from "#engine"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import type { ChatModel } from "../chat-models/chat-model.ts"
import type { Memory } from "../../server/load/memory/memory.ts"

interface From {
  /** The connection used for writing accounts. */
  readonly accountsDb: StateStore
  readonly config: Values<typeof researchSettings>
  readonly accounts: Accounts
  readonly embedder: Pick<Embedder, "embed" | "traits">
  readonly unitReader: UnitReader | null
  readonly chatModel: ChatModel | null
  /** Limits the memory for pages that tasks read. */
  readonly memory: Pick<Memory, "research">
  readonly room: Pick<DiskRoom, "isLow">
  readonly process: Pick<LivingProcess, "id">
  readonly log: Logger
}

interface Needs extends ResearchNeeds {
  /** If left out, research is not available. */
  readonly research?: OpenedResearch
  readonly log: Logger
}

/** Reports in which every part cites its source. */
export const research = {
  name: "research",
  settings: researchSettings,
  async open(from, closing) {
    const { openResearch } = await import("./open-research.ts")
    const { accountsDb, config, memory, process, ...parts } = from
    const opened = openResearch(accountsDb, config, {
      ...parts,
      pages: memory.research,
      process: process.id,
    })
    closing.use(opened.researchers)
    return opened
  },
  tools: async () => [(await import("./described/tools.ts")).researchTool],
  async describe() {
    const [{ researchOperations }, { outputSchemas }] = await Promise.all([
      import("./described/operations.ts"),
      import("./report/output-schema.ts"),
    ])
    return { operations: Object.values(researchOperations), schemas: outputSchemas }
  },
  async serve(router, { research: opened, log, ...needs }) {
    if (opened === undefined) return undefined
    const [{ researchRoutes }, { handingOn }] = await Promise.all([
      import("./routes.ts"),
      import("../federation/federated-engine.ts"),
    ])
    researchRoutes(router, opened, needs)
    const { researchers, tasks, queue } = opened
    researchers
      .start((owner) => handingOn(needs.admissions.reach({ ...owner, isPatient: true }).engine))
      .catch((err: unknown) => log.error({ err }, "research tasks cannot run"))
    return {
      endpoints: ["research"],
      toolEndpoints: ["research"],
      stored: async () => ({ research: await tasks.storedBytes() }),
      bounds: async () => [
        {
          name: "research-waiting",
          used: (await tasks.waiting()).all,
          limit: queue.all,
          refused: queue.refused,
        },
      ],
    }
  },
} as const satisfies Feature<Needs, From>
