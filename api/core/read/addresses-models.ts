import { AT_ONCE_CHARS } from "#base/process/threads/off-loop.ts"
import type { Hit } from "#engine"
import { findModelOrder, givesModelOrder } from "#engine/text/model-orders.ts"

/** Whether the always visible parts of a hit contain instructions to language models. */
export function hitAddressesModels({ title, description, passages }: Hit): boolean {
  // Checks each text only once: passages share headings, and each check takes about 50 µs.
  const texts = new Set(passages.flatMap(({ headings, text, shown = "" }) => [...headings, text, shown]))
  return [...texts.add(title).add(description ?? "")].some((text) => text !== "" && givesModelOrder(text))
}

/**
 * Whether a page's text contains instructions to language models. A short text is always checked, even when the call's
 * time is up.
 * @throws WorkError when the text cannot be processed, and the reason of `signal`
 */
export async function textAddressesModels(text: string, signal?: AbortSignal): Promise<boolean> {
  return text.length <= AT_ONCE_CHARS
    ? givesModelOrder(text)
    : await findModelOrder({ chars: text.length, signal }, text)
}
