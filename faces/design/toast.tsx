import { useEffect, useState } from "preact/hooks"

/** How long a message stays: twice the time it takes to read a line. */
const SHOWN_MS = 4000

let tell: ((text: string) => void) | null = null

/** Shows a message for a moment, and has screen readers read it. One at a time: a new message replaces the last one. */
export const toast = (text: string): void => tell?.(text)

/** Copies a text to the clipboard and shows the message `said`. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said)
  } catch {
    // Browsers offer no clipboard without https; the text can still be selected.
    toast("Select the text and copy it: the browser blocks clipboard access here")
  }
}

/**
 * The place for messages; used once on each page. It exists before any message, because screen readers would miss the
 * first one otherwise.
 */
export function Toasts() {
  const [shown, show] = useState<{ readonly text: string } | null>(null)
  useEffect(() => {
    tell = (text) => show({ text })
    return () => {
      tell = null
    }
  }, [])
  useEffect(() => {
    const timer = shown && setTimeout(() => show(null), SHOWN_MS)
    return () => clearTimeout(timer ?? undefined)
  }, [shown])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown && <p class="toast">{shown.text}</p>}
    </div>
  )
}
