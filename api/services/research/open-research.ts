import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"
import type { Embedder } from "#engine"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import type { DiskRoom } from "#base/disk-space.ts"
import type { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import type { Values } from "#base/settings.ts"
import { TimeGuard } from "#base/store/clock/trusted-time.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { ChatModel } from "../chat-models/chat-model.ts"
import type { researchSettings } from "./settings.ts"
import type { OpenedResearch } from "./research.ts"
import { Researchers } from "./researchers.ts"
import { PageMemory } from "./sources/held-pages.ts"
import { ResearchTasks } from "./task-store.ts"

/** Maximum duration of a task, slightly less than official clients wait: five minutes for `mini`, fifteen for `pro`. */
const SECONDS = { mini: 270, pro: 840 }
/** One key may fill at most 1/SHARE_OF_KEY of the queue's places. */
const SHARE_OF_KEY = 4

/**
 * The parts of the research endpoints. The caller must close `researchers` before it closes the connection.
 *
 * @param db the connection used for writing accounts
 */
export function openResearch(
  db: StateStore,
  config: Values<typeof researchSettings>,
  parts: {
    readonly accounts: Accounts
    readonly embedder: Pick<Embedder, "embed" | "traits">
    readonly unitReader: UnitReader | null
    readonly chatModel: ChatModel | null
    /** The memory for pages that tasks read. */
    readonly pages: ByteBudget
    /** The disk on which reports are stored; if left out, it isn't checked. */
    readonly room?: Pick<DiskRoom, "isLow">
    /** Id of this process among those that share the state. By default it is the only one. */
    readonly process?: string
    readonly log: Logger
    /** Milliseconds that a task runs before the next task gets its turn. Default half a minute. */
    readonly turnMs?: number
  },
): OpenedResearch {
  const { accounts, embedder, unitReader, chatModel, log } = parts
  const { billing, keys } = accounts
  const tasks = new ResearchTasks(
    db,
    accounts.writes,
    config.researchMb * 1_000_000,
    accounts.kept,
    parts.process,
  )
  const researchers = new Researchers({
    tasks,
    keys,
    billing,
    parts: {
      embedder,
      unitReader,
      chatModel,
      modelTokens: config.researchTokens,
      pages: new PageMemory(parts.pages),
    },
    room: parts.room,
    limits: { concurrency: config.researchConcurrency, seconds: SECONDS, keepDays: config.researchDays },
    guard: new TimeGuard(db),
    log,
    turnMs: parts.turnMs,
  })
  const all = config.researchQueue
  return { tasks, researchers, billing, queue: { all, ofKey: Math.ceil(all / SHARE_OF_KEY), refused: 0 } }
}
