import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Select } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Block, Nothing, Time } from "../parts.tsx"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { until, whole } from "../words.ts"

type Delivery = AnswerOf<"GET /admin/webhooks/deliveries">["deliveries"][number]

const SHOWN = ["all", "waiting", "delivered", "given-up"] as const
type Shown = (typeof SHOWN)[number]
const NAMES: Readonly<Record<Shown, string>> = {
  all: "All",
  waiting: "Waiting",
  delivered: "Delivered",
  "given-up": "Abandoned",
}

/** Messages sent to webhook receivers, and their results. */
export function Webhooks() {
  const [shown, show] = useState<Shown>("all")
  const rows = useFirstRows()
  const polled = useAnswer("GET /admin/webhooks/deliveries", {
    query: { limit: rows.limit, ...(shown !== "all" && { state: shown }) },
  })
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <Block id="deliveries" title="Deliveries">
      <div class="shown">
        <Select
          label="Show"
          name="state"
          value={shown}
          options={SHOWN.map((one) => ({ value: one, label: NAMES[one] }))}
          onChoose={show}
        />
        <Button icon="play" disabled={actions.isBusy} onClick={() => void tryAlerts(actions)}>
          Test the alert receivers
        </Button>
      </div>
      <PolledStatus of={polled} actions={actions} />
      {value?.total === 0 && (
        <Nothing icon="open" title={shown === "all" ? "No deliveries yet" : "No matching deliveries"}>
          {shown === "all" && (
            <p>
              Add a webhook to a source, or set <code>FOSSICK_ALERT_WEBHOOK</code>. Deliveries then appear
              here, with their results.
            </p>
          )}
        </Nothing>
      )}
      {value !== null && value.total > 0 && (
        <>
          <Table
            caption="Webhook deliveries"
            columns={columns(actions)}
            rows={value.deliveries}
            keyOf={({ id }) => id}
          />
          <More
            rows={rows}
            shown={value.deliveries.length}
            total={value.total}
            label="More deliveries"
            unit={["delivery", "deliveries"]}
          />
        </>
      )}
    </Block>
  )
}

const tryAlerts = ({ doing }: Actions) =>
  doing("All alert receivers accepted the test", async () => {
    const { tested } = await appliance.call("POST /admin/alerts/test")
    const failed = tested.find(({ error }) => error !== null)
    if (failed) throw new Error(`${failed.to}: ${failed.error}`)
  })

const EVENTS: Readonly<Record<Delivery["event"], string>> = {
  finished: "a run ended",
  changed: "pages changed",
  alert: "an alert",
}

const STATES = {
  waiting: ["clock", undefined, "Waiting"],
  delivered: ["check", "good", "Delivered"],
  "given-up": ["close", "bad", "Abandoned"],
} as const

const columns = ({ isBusy, act }: Actions): readonly Column<Delivery>[] => [
  {
    heading: "To",
    cell: ({ url, event, source, job_id: job }) => (
      <>
        <span class="strong">{hostOf(url)}</span>
        <p class="small">
          {EVENTS[event]}
          {source !== null && ": "}
          {source !== null &&
            (job === null ? source : <Link to={{ view: "run", job, outcome: null }}>{source}</Link>)}
        </p>
      </>
    ),
  },
  {
    heading: "State",
    cell: ({ state, last_error: error, last_status: status }) => {
      const [icon, tone, name] = STATES[state]
      return (
        <>
          <Chip icon={icon} tone={tone}>
            {name}
          </Chip>
          {error !== null && <p class="reason">{error}</p>}
          {error === null && status !== null && <p class="small">status {status}</p>}
        </>
      )
    },
  },
  { heading: "Tries", isNumber: true, cell: ({ attempts }) => whole(attempts) },
  {
    heading: "Last try",
    cell: ({ last_attempt_at: at }) => (at === null ? "–" : <Time class="when" at={at} />),
  },
  {
    heading: "Next try",
    cell: ({ next_attempt_at: at }) => (at === null ? "–" : <span class="when">{until(at)}</span>),
  },
  {
    heading: <span class="unseen">Send again</span>,
    cell: ({ id, url }) => (
      <Button
        icon="restore"
        label={`Send again to ${hostOf(url)}`}
        disabled={isBusy}
        onClick={() =>
          void act("The webhook will be sent again", "POST /admin/webhooks/deliveries/{id}/retry", {
            path: { id },
          })
        }
      >
        Send again
      </Button>
    ),
  },
]

const hostOf = (url: string): string => URL.parse(url)?.host ?? url
