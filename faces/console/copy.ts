import { toast } from "../design/toast.tsx"

/** Copies a text, and says so. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said)
  } catch {
    // Without https browsers give no clipboard; the text can be marked.
    toast("Mark the text and copy it: this browser gives no clipboard here")
  }
}
