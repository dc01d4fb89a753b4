import { Button } from "../../design/button.tsx"
import { toast } from "../../design/toast.tsx"

/** A text to copy. */
export function Snippet({
  name,
  text,
}: {
  /** What it is: `the command`. */
  readonly name: string
  readonly text: string
}) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast(`Copied: ${name}`)
    } catch {
      // Without https browsers give no clipboard; the text can be marked.
      toast("Mark the text and copy it: this browser gives no clipboard here")
    }
  }
  return (
    <div class="snippet">
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
      <Button icon="copy" label={`Copy ${name}`} onClick={() => void copy()} />
    </div>
  )
}
