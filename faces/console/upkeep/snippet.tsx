import { Button } from "../../design/button.tsx"
import { copy } from "../../design/toast.tsx"

/** A text to copy. */
export function Snippet({
  name,
  text,
}: {
  /** What the text is, such as `the command`. */
  readonly name: string
  readonly text: string
}) {
  return (
    <div class="snippet">
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
      <Button icon="copy" label={`Copy ${name}`} onClick={() => void copy(text, `Copied: ${name}`)} />
    </div>
  )
}
