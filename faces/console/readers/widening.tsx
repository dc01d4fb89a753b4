import type { AnswerOf } from "../../../api/client/client.ts"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { counted } from "../words.ts"

type Written = AnswerOf<"POST /admin/readers/preview">

/** The effects of a change to a source's readers, if it needs confirmation; null if it doesn't. */
export async function wideningOf(
  source: string,
  readers: unknown,
  signal: AbortSignal,
): Promise<Written | null> {
  const preview = await appliance.call("POST /admin/readers/preview", {
    // `readers` isn't checked here: the appliance checks it along with the source.
    body: { source, readers: readers ?? null },
    signal,
  })
  return preview.warnings.length > 0 ? preview : null
}

/** Asks for confirmation before many more people may read a source. */
export const Widening = ({
  of: { source, warnings, gaining, losing, pages_gained: gained },
  onYes,
  onClose,
}: {
  readonly of: Written
  readonly onYes: () => void
  readonly onClose: () => void
}) => (
  <Confirm
    title={`Open ${source} to many more people?`}
    yes="Save"
    no="Go back"
    onYes={onYes}
    onClose={onClose}
  >
    <ul class="notice plain widening">
      {warnings.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    <p>
      {counted(gained, "page")} would gain readers.{" "}
      {gaining.total > 0 &&
        `${counted(gaining.total, "person", "people")} would gain access to pages:  ${gaining.users.join(", ")}${gaining.total > gaining.users.length ? ` and ${gaining.total - gaining.users.length} more` : ""}. `}
      {losing.total > 0 && `${counted(losing.total, "person", "people")} would lose access to pages.`}
    </p>
    <p class="small">
      The change takes effect as soon as it is saved. Only people who have signed in are counted.
    </p>
  </Confirm>
)
