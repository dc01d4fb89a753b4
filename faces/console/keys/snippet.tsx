import { Button } from "../../design/button.tsx"
import { copy } from "../../design/toast.tsx"

/** A text to paste elsewhere. */
export function Snippet({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="to-paste">
      <p class="between">
        <b>{name}</b>
        <Button
          look="quiet"
          icon="copy"
          label={`Copy: ${name}`}
          onClick={() => void copy(text, `Copied: ${name}`)}
        />
      </p>
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
