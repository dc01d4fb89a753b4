import { EngineError } from "#engine"

/** What is opened for writing; null when another process is writing. */
export async function openUnlessLocked<T>(open: () => Promise<T>): Promise<T | null> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof EngineError && error.code === "INDEX_LOCKED") return null
    throw error
  }
}
