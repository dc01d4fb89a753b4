import { Button } from "../../design/button.tsx"
import { toast } from "../../design/toast.tsx"

/** A text to paste elsewhere. */
export function Snippet({ name, text }: { readonly name: string; readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast(`${name} is copied`)
    } catch {
      // Without https browsers give no clipboard; the text can be marked.
      toast("Mark the text and copy it: this browser gives no clipboard here")
    }
  }
  return (
    <div class="to-paste">
      <p class="between">
        <b>{name}</b>
        <Button look="quiet" icon="copy" label={`Copy: ${name}`} onClick={() => void copy()} />
      </p>
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
