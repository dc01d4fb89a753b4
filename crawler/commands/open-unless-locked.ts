import { EngineError } from "#engine"

/** Opens for writing. Returns null when another process is writing, and passes the reason to `onLocked`. */
export async function openUnlessLocked<T>(
  open: () => Promise<T>,
  onLocked?: (text: string) => void,
): Promise<T | null> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "INDEX_LOCKED")) throw error
    onLocked?.(error.message)
    return null
  }
}
