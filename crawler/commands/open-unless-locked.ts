import { EngineError } from "#engine"

/** Opens something for writing. If another process is writing to it, passes the reason to `onLocked` and returns `null`. */
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
