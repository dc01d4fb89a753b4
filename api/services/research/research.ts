import { randomUUID } from "node:crypto"

import { Refusal } from "#base/errors.ts"

import type { Billing } from "../../identity/accounts/billing/billing.ts"
import { researchCost } from "../../identity/accounts/billing/credits.ts"
import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { ResearchRequest } from "./request.ts"
import type { Researchers } from "./researchers.ts"
import type { ResearchTask, ResearchTasks, TaskOwner } from "./task-store.ts"

export interface OpenedResearch {
  readonly tasks: ResearchTasks
  readonly researchers: Researchers
  readonly billing: Billing
  /** Maximum number of waiting tasks, in total and per key. */
  readonly queue: ResearchQueue
}

interface ResearchQueue {
  readonly all: number
  readonly ofKey: number
  /** Number of tasks refused since startup because too many were waiting. */
  refused: number
}

/** The first sentence required by the contract: some clients look for it. */
const NO_ROOM =
  "This request exceeds your plan's set usage limit. The storage for research tasks is full: FOSSICK_RESEARCH_MB on this server limits it for " +
  "one key and for all keys, and FOSSICK_KEY_STORED_MB limits everything stored for a key. Finished tasks are deleted after FOSSICK_RESEARCH_DAYS days."

/**
 * Accepts a task, which runs in the background once the researchers wake.
 * @throws Refusal if too many tasks are waiting, or there is no room for it
 */
export async function takeResearch(
  request: ResearchRequest,
  key: ApiKey,
  owner: Omit<TaskOwner, "keyId">,
  { tasks, billing, queue }: OpenedResearch,
): Promise<ResearchTask> {
  const waiting = await tasks.waiting(key.id)
  if (waiting.all >= queue.all || waiting.ofKey >= queue.ofKey) {
    queue.refused++
    throw new Refusal("crowded", "Too many research tasks are waiting. Try again when some are done.")
  }
  const id = randomUUID()
  // The credits stay reserved until the task ends, not just until this call ends.
  await billing.reserve({ requestId: id, key }, researchCost(request.model, Number.POSITIVE_INFINITY))
  const task = await tasks.add(id, { ...owner, keyId: key.id }, request, new Date())
  if (task !== null) return task
  await billing.release({ requestId: id, key })
  throw new Refusal("full", NO_ROOM)
}

/** Finds a task of this key; keys with the role admin find every task. @throws Refusal if there is none */
export async function researchTask(
  id: string,
  key: Pick<ApiKey, "id" | "role">,
  tasks: Pick<ResearchTasks, "get">,
): Promise<ResearchTask> {
  const task = await tasks.get(id)
  if (task && (task.owner.keyId === key.id || key.role === "admin")) return task
  throw new Refusal("missing", "Research task not found")
}
