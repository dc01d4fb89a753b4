import { EngineError } from "#engine"

/** What is opened for writing; null when another process is writing, which `onLocked` is told in words. */
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
