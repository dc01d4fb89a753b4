import { Button } from "../../design/button.tsx"
import { copy } from "../../design/toast.tsx"

/** The text for the sources file, to copy. */
export function Yaml({ text }: { readonly text: string }) {
  return (
    <section class="block yaml" aria-labelledby="yaml">
      <h2 id="yaml">
        <span>
          For <code>sources.yaml</code>
        </span>
      </h2>
      <pre tabIndex={0} aria-label="YAML">
        <code>{text}</code>
      </pre>
      <p class="row">
        <Button icon="copy" onClick={() => void copy(text, "YAML copied")}>
          Copy YAML
        </Button>
      </p>
    </section>
  )
}
