import { type Engine, EngineError } from "#engine"

/** The engine, opened for writing; null when another process is writing. */
export async function openUnlessLocked(open: () => Promise<Engine>): Promise<Engine | null> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof EngineError && error.code === "INDEX_LOCKED") return null
    throw error
  }
}
