import { useState } from "preact/hooks"

import { Confirm } from "../confirm.tsx"
import { Check } from "../rules/check.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { counted } from "../words.ts"

/** Asks whether to delete a source or a one-off crawl, together with its pages. */
export function DeleteSource({
  name,
  pages,
  act,
  onClose,
}: {
  readonly name: string
  readonly pages: number
  readonly act: Actions["act"]
  readonly onClose: () => void
}) {
  const [removesPages, setRemovesPages] = useState(true)
  const remove = () =>
    act(`${name} has been deleted`, "DELETE /admin/sources/{name}", {
      path: { name },
      query: { remove_pages: removesPages },
    })
  return (
    <Confirm title={`Delete ${name}?`} yes="Delete" no="Cancel" onYes={() => void remove()} onClose={onClose}>
      <p>Its settings will be deleted, and it will no longer run.</p>
      {pages > 0 && (
        <Check
          label={`Remove its ${counted(pages, "page")} from the index`}
          isOn={removesPages}
          onChange={setRemovesPages}
        />
      )}
      {pages > 0 && !removesPages && (
        <p class="small">
          Searches will still find the pages, and the list will show {name} as a one-off crawl.
        </p>
      )}
    </Confirm>
  )
}
