import type { Embedder } from "#engine"

import type { MissKnowledge } from "../../services/misses/miss-knowledge.ts"
import type { LiveMemory } from "./live-memory.ts"

/** The parts for reading live pages, besides the key's own limits. */
export interface LiveParts {
  readonly embedder: Pick<Embedder, "id" | "embed">
  readonly memory: LiveMemory
  /** For an address that could not be read, explains why the index has no page for it either; null if no reason is given. */
  readonly misses: MissKnowledge | null
  /** Number of hand-overs between appliances after which a call is processed here. Default 0. */
  readonly mostHops?: number
}
