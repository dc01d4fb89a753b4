import { useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { countdown } from "../words.ts"
import { Block } from "../parts.tsx"

type Job = AnswerOf<"GET /admin/jobs/{id}">

/** Hosts that the run is waiting for: why, until when, and a way to continue without them. */
export function Waits({
  job: { id, waits, state },
  actions: { act, isBusy },
}: {
  readonly job: Job
  readonly actions: Actions
}) {
  if (waits.length === 0 || state !== "running") return null
  const skip = (host: string) =>
    act(`${host} will be skipped in this run`, "POST /admin/jobs/{id}/skip-host", {
      path: { id },
      body: { host },
    })
  return (
    <Block id="waits" title="Waiting for">
      <ul class="needs">
        {waits.map(({ host, why, until }) => (
          <li key={host} class="warn">
            <Icon name="clock" />
            <p>
              <strong>{host}</strong>
              <span>
                {why}; <NextTry until={until} />
              </span>
            </p>
            <Button icon="skip" disabled={isBusy} onClick={() => void skip(host)}>
              Skip this host
            </Button>
          </li>
        ))}
      </ul>
    </Block>
  )
}

const SECOND_MS = 1000

/** Counts down to the next attempt. */
function NextTry({ until }: { readonly until: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  const seconds = (new Date(until).getTime() - now) / SECOND_MS
  return <time dateTime={until}>{seconds > 0 ? `next try in ${countdown(seconds)}` : "trying now"}</time>
}
