import { Button } from "../../design/button.tsx"
import { toast } from "../../design/toast.tsx"

/** The text for the file of sources, to copy. */
export function Yaml({ text }: { readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast("The YAML is copied")
    } catch {
      // Without https browsers give no clipboard; the text can be marked.
      toast("Mark the text and copy it: this browser gives no clipboard here")
    }
  }
  return (
    <section class="block yaml" aria-labelledby="yaml">
      <h2 id="yaml">
        <span>
          As <code>sources.yaml</code> has it
        </span>
      </h2>
      <pre tabIndex={0} aria-label="YAML">
        <code>{text}</code>
      </pre>
      <p class="row">
        <Button icon="copy" onClick={() => void copy()}>
          Copy the YAML
        </Button>
      </p>
    </section>
  )
}
