import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { since } from "../../reading/dates.ts"
import { addressOf } from "../../session/appliance.ts"
import type { Actions } from "../asking/use-actions.ts"
import { counted } from "../words.ts"
import { Block } from "../parts.tsx"

type List = AnswerOf<"GET /admin/page-requests">

/** Pages that people asked for and did not find, most wanted first. */
export function Wanted({
  wanted: { requests, total },
  actions,
}: {
  readonly wanted: List
  readonly actions: Actions
}) {
  return (
    <Block id="wanted" title="Requested pages">
      <ul class="wanted" aria-label="Pages that people requested">
        {requests.map((one) => (
          <li key={one.id}>
            <div>
              <strong>{one.url ?? `“${one.query ?? ""}”`}</strong>
              {one.url !== null && one.query !== null && <span>asked: “{one.query}”</span>}
              {one.comment !== null && <span>{one.comment}</span>}
              <span class="small">
                {counted(one.keys, "key")}, last request {since(one.last_at)}
              </span>
            </div>
            {one.in_index && (
              <Chip tone="good" icon="check">
                In the index
              </Chip>
            )}
            {one.url !== null && !one.in_index && (
              <a
                class="button"
                href={addressOf(
                  `console?${new URLSearchParams({ view: "add-source", url: one.url }).toString()}`,
                )}
              >
                Add it
              </a>
            )}
            <Button
              look="quiet"
              icon="close"
              disabled={actions.isBusy}
              label={`Dismiss ${one.url ?? one.query ?? "this"}`}
              onClick={() =>
                void actions.act("Dismissed", "DELETE /admin/page-requests/{id}", { path: { id: one.id } })
              }
            >
              Dismiss
            </Button>
          </li>
        ))}
      </ul>
      {total > requests.length && <p class="small">{counted(total, "request")} in all.</p>}
    </Block>
  )
}
