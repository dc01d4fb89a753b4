import { useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Select } from "../../design/field.tsx"
import { toast } from "../../design/toast.tsx"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { Problem } from "../parts.tsx"
import { useCall } from "../asking/use-call.ts"

type Look = AnswerOf<"POST /admin/networks/look">

/** A site in a private network: after one confirmation, an admin may allow the network needed to read it. */
export function AllowNetwork({
  url,
  otherwise,
  onAllowed,
}: {
  readonly url: string
  /** Advice for when nothing can be allowed here; null if there is none. */
  readonly otherwise: string | null
  readonly onAllowed: () => void
}) {
  const { value, problem, call } = useCall<Look>()
  const ask = () => call((signal) => appliance.call("POST /admin/networks/look", { body: { url }, signal }))
  useEffect(ask, [url])
  if (value !== null && value.choices.length > 0)
    return <Choose look={value} url={url} onAllowed={onAllowed} />
  const isClosed = value?.is === "private" && otherwise !== null
  return (
    <>
      {problem !== null && <p class="small">{problem}</p>}
      {isClosed && (
        <p class="small">
          The console cannot allow this address: it is link-local, or a service of the appliance is listening
          there.
        </p>
      )}
      {value !== null && !isClosed && otherwise !== null && <p class="small">{otherwise}</p>}
    </>
  )
}

function Choose({
  look: { host, port, choices },
  url,
  onAllowed,
}: {
  readonly look: Look
  readonly url: string
  readonly onAllowed: () => void
}) {
  const [network, setNetwork] = useState(choices[0]!)
  const [isAsking, setAsking] = useState(false)
  const allowing = useCall<void>()
  const what = `${inWords(network)}, port ${port}`
  const allow = () =>
    allowing.call(async (signal) => {
      await appliance.call("POST /admin/networks", { body: { url, network, confirmed: true }, signal })
      toast(`Crawls can now reach ${what}`)
      onAllowed()
    })
  return (
    <div class="allow-network">
      <p class="small">
        {host} is in a private network. If the network is yours, you can let crawls access it.
      </p>
      {choices.length > 1 && (
        <Select
          label="What crawls can read"
          name="network"
          value={network}
          options={choices.map((one) => ({ value: one, label: `${inWords(one)}, port ${port}` }))}
          onChoose={setNetwork}
        />
      )}
      {allowing.problem !== null && <Problem title="The network was not allowed" text={allowing.problem} />}
      <p>
        <Button icon="check" disabled={allowing.isBusy} onClick={() => setAsking(true)}>
          Allow {what}…
        </Button>
      </p>
      {isAsking && (
        <Confirm
          title={`Let crawls reach ${what}?`}
          yes="Allow"
          no="Cancel"
          onYes={allow}
          onClose={() => setAsking(false)}
        >
          <p>
            Crawls of sources that are declared in this console or through the admin API will then be able to
            reach {what}, and anyone who can search these sources will find its pages. Live reads by callers
            will still not reach it.
          </p>
          <p class="small">You can revoke this under Upkeep, Connections.</p>
        </Confirm>
      )}
    </div>
  )
}

/** `10.20.30.7`, or `all of 10.20.30.0/24`. */
function inWords(network: string): string {
  const single = /^(.*)\/(?:32|128)$/.exec(network)?.[1]
  return single ?? `all of ${network}`
}
