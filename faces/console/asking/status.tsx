import type { ComponentChildren } from "preact"

import { Button } from "../../design/button.tsx"
import { Progress } from "../../design/progress.tsx"
import { Loading, Problem } from "../parts.tsx"
import type { Actions } from "./use-actions.ts"
import type { Polled } from "./use-polled.ts"

/** Above what was asked: what failed, be it an action or the latest look, and that the first answer is awaited. */
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

/** While a call takes its time. */
export const Busy = ({
  label,
  onStop,
  children,
}: {
  /** Of the bar; read out. */
  readonly label: string
  readonly onStop: () => void
  /** What is being done. */
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
