import type { ComponentChildren } from "preact"

import { Button } from "../../design/button.tsx"
import { Progress } from "../../design/progress.tsx"
import { Loading, Problem } from "../parts.tsx"
import type { Actions } from "./use-actions.ts"
import type { Polled } from "./use-polled.ts"

/** Shown above a polled value: why the action or the latest call failed, or that the first answer is still loading. */
export const PolledStatus = ({
  of: { value, problem, refresh },
  actions,
}: {
  readonly of: Polled<unknown>
  readonly actions?: Pick<Actions, "problem">
}) => (
  <>
    {actions != null && actions.problem !== null && <Problem text={actions.problem} />}
    {problem !== null && <Problem title="This may be out of date" text={problem} onAgain={refresh} />}
    {value === null && problem === null && <Loading />}
  </>
)

/** A long call under way, and a button to stop it. */
export const Busy = ({
  label,
  onStop,
  children,
}: {
  /** Label of the bar, for screen readers. */
  readonly label: string
  readonly onStop: () => void
  /** A description of the call. */
  readonly children: ComponentChildren
}) => (
  <div class="busy" role="status">
    <p>{children}</p>
    <Progress label={label} />
    <p class="row">
      <Button onClick={onStop}>Stop</Button>
    </p>
  </div>
)
