import { toast } from "../design/toast.tsx"

/** Copies a text to the clipboard and shows `said`. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said)
  } catch {
    // Browsers offer no clipboard without https; the text can still be selected.
    toast("Select the text and copy it: the browser allows no access to the clipboard here")
  }
}
