import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Chart } from "../../design/chart.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Select } from "../../design/field.tsx"
import { since } from "../../reading/dates.ts"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Head, Loading, Problem } from "../parts.tsx"
import { useActions } from "../use-actions.ts"
import { IDLE_MS, usePolled } from "../use-polled.ts"
import { counted, whole } from "../words.ts"
import { Connect } from "./connect.tsx"
import { type Key, type KeyAct, KeyList, nameOf } from "./key-list.tsx"
import { type Made, NewKey } from "./new-key.tsx"
import { type PublicKey, PublicKeys } from "./public-keys.tsx"
import { Snippet } from "./snippet.tsx"
import { byDay, DAYS } from "./use-days.ts"

const MOST = 1000
/** Id under which the key in `FOSSICK_API_KEY` is counted. */
const OPERATOR = "operator"

type Asked =
  | { readonly act: "new" }
  | { readonly act: "rotate" | "disable" | "delete"; readonly key: Key }
  | { readonly act: "delete-public"; readonly key: PublicKey }

/** Who may search, what they may see, and what they use. */
export function Keys({ chosen }: { readonly chosen: string | null }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const { value, problem, refresh } = usePolled(
    "keys",
    async (signal) => {
      const [keys, { usage }, publicKeys, { sources }] = await Promise.all([
        appliance.call("GET /admin/keys", { query: { limit: MOST }, signal }),
        appliance.call("GET /admin/usage", { query: { days: DAYS }, signal }),
        appliance.call("GET /admin/public-keys", { query: { limit: MOST }, signal }),
        appliance.call("GET /admin/sources", { query: { limit: MOST }, signal }),
      ])
      return { ...keys, usage, publicKeys: publicKeys.public_keys, sources: sources.map(({ name }) => name) }
    },
    () => IDLE_MS,
  )
  const actions = useActions(refresh)
  const close = () => setAsked(null)
  const onAct = (act: KeyAct, key: Key) => {
    if (act !== "enable") setAsked({ act, key })
    else {
      void actions.act(
        `enable ${key.id}`,
        () => appliance.call("POST /admin/keys/{id}/enable", { path: { id: key.id } }),
        `${nameOf(key)} is accepted again`,
      )
    }
  }
  const one = value?.keys.find(({ id }) => id === chosen)
  const ofWhom =
    one === undefined ? (chosen === OPERATOR ? "the key in FOSSICK_API_KEY" : chosen) : nameOf(one)
  return (
    <>
      <Head
        title="Keys"
        page="Keys"
        under={
          value !== null &&
          `${counted(value.total, "key")}${value.publicKeys.length === 0 ? "" : `, ${counted(value.publicKeys.length, "public key")}`}`
        }
      >
        <Button look="primary" icon="plus" disabled={value === null} onClick={() => setAsked({ act: "new" })}>
          New key
        </Button>
      </Head>
      {actions.problem !== null && <Problem text={actions.problem} />}
      {problem !== null && <Problem title="This may be out of date" text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && (
        <>
          <div class="block">
            <div class="between">
              <h2>
                {ofWhom === null ? `All keys, the last ${DAYS} days` : `${ofWhom}, the last ${DAYS} days`}
              </h2>
              {chosen !== null && <Link to={{ view: "keys", key: null }}>Of all keys</Link>}
            </div>
            <div class="use-charts">
              <figure>
                <figcaption>Calls a day</figcaption>
                <Chart
                  label="Calls a day"
                  of="Calls"
                  look="bars"
                  points={byDay(value.usage, ({ calls }) => calls, { key: chosen })}
                  inWords={whole}
                />
              </figure>
              <figure>
                <figcaption>Credits a day</figcaption>
                <Chart
                  label="Credits a day"
                  of="Credits"
                  look="bars"
                  points={byDay(value.usage, ({ credits }) => credits, { key: chosen })}
                  inWords={whole}
                />
              </figure>
            </div>
          </div>
          <div class="block">
            <h2>Keys</h2>
            {value.operator_last_used_at !== null && (
              <p class="small">
                The key in <code>FOSSICK_API_KEY</code> was last used {since(value.operator_last_used_at)}; it
                is valid as long as it is set.
              </p>
            )}
            {value.keys.length === 0 ? (
              <p class="small">No key was made yet.</p>
            ) : (
              <KeyList
                keys={value.keys}
                own={value.current_key_id}
                usage={value.usage}
                isBusy={actions.busy !== null}
                onAct={onAct}
              />
            )}
          </div>
          {value.publicKeys.length > 0 && (
            <div class="block">
              <h2>Public keys</h2>
              <PublicKeys
                keys={value.publicKeys}
                usage={value.usage}
                actions={actions}
                onDelete={(key) => setAsked({ act: "delete-public", key })}
              />
            </div>
          )}
          <div class="block">
            <h2>Connect a program</h2>
            <Connect />
          </div>
        </>
      )}
      {asked?.act === "new" && value !== null && (
        <NewKey
          sources={value.sources}
          collections={value.collections}
          onMade={(one) => {
            close()
            setMade(one)
            refresh()
          }}
          onClose={close}
        />
      )}
      {asked !== null && asked.act !== "new" && asked.act !== "delete-public" && asked.act !== "rotate" && (
        <Confirm
          title={`${asked.act === "disable" ? "Disable" : "Delete"} ${nameOf(asked.key)}?`}
          yes={asked.act === "disable" ? "Disable it" : "Delete it for good"}
          no="Leave it"
          onYes={() => {
            const { act, key } = asked
            const { id } = key
            void actions.act(
              `${act} ${id}`,
              () =>
                act === "disable"
                  ? appliance.call("POST /admin/keys/{id}/disable", { path: { id } })
                  : appliance.call("DELETE /admin/keys/{id}", { path: { id } }),
              act === "disable" ? `${nameOf(key)} is refused from now on` : `${nameOf(key)} is deleted`,
            )
          }}
          onClose={close}
        >
          <p>
            {asked.act === "disable"
              ? "Every program that uses it is refused from now on, until you enable it again."
              : "Every program that uses it is refused from now on. This cannot be undone; what it used stays counted."}
          </p>
        </Confirm>
      )}
      {asked?.act === "delete-public" && (
        <Confirm
          title={`Delete the public key ${asked.key.name}?`}
          yes="Delete it for good"
          no="Leave it"
          onYes={() =>
            void actions.act(
              `delete ${asked.key.id}`,
              () => appliance.call("DELETE /admin/public-keys/{id}", { path: { id: asked.key.id } }),
              "The public key is deleted",
            )
          }
          onClose={close}
        >
          <p>Web pages of {asked.key.origins.join(", ")} can no longer search. This cannot be undone.</p>
        </Confirm>
      )}
      {asked?.act === "rotate" && (
        <Rotate
          of={asked.key}
          onClose={close}
          onYes={(hours) => {
            const { key } = asked
            close()
            void actions.act(
              `rotate ${key.id}`,
              async () => {
                const { key: text } = await appliance.call("POST /admin/keys/{id}/rotate", {
                  path: { id: key.id },
                  body: { overlap_hours: hours },
                })
                setMade({ name: key.name, key: text, isPublic: false })
              },
              hours === 0 ? "The key of before is refused from now on" : "Both keys are accepted for a while",
            )
          }}
        />
      )}
      {made !== null && <ShownOnce made={made} onClose={() => setMade(null)} />}
    </>
  )
}

const OVERLAPS = [
  { value: "0", label: "Refused at once" },
  { value: "1", label: "Accepted for another hour" },
  { value: "24", label: "Accepted for another day" },
  { value: "168", label: "Accepted for another week" },
] as const

function Rotate({
  of,
  onYes,
  onClose,
}: {
  readonly of: Key
  readonly onYes: (hours: number) => void
  readonly onClose: () => void
}) {
  const [hours, setHours] = useState<(typeof OVERLAPS)[number]["value"]>("24")
  return (
    <Dialog title={`Rotate ${nameOf(of)}?`} onClose={onClose}>
      <div class="confirm">
        <p>A new key is made that may do the same. It is shown once; its credits begin anew.</p>
        <Select
          name="overlap"
          label="The key of before"
          value={hours}
          options={OVERLAPS}
          onChoose={setHours}
        />
        <p class="row">
          <Button look="primary" icon="restore" onClick={() => onYes(Number(hours))}>
            Make the new key
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </p>
      </div>
    </Dialog>
  )
}

function ShownOnce({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  return (
    <Dialog title={made.name === "" ? "The new key" : `The key for ${made.name}`} onClose={onClose}>
      <div class="confirm">
        <p>
          {made.isPublic
            ? "It is no secret, and stands in the list from now on."
            : "It is shown only now: keep it where its program reads it. Nobody can read it back."}
        </p>
        <Snippet name="Key" text={made.key} />
        {!made.isPublic && <Connect apiKey={made.key} />}
        <p class="row">
          <Button look="primary" icon="check" onClick={onClose}>
            {made.isPublic ? "Done" : "I have kept it"}
          </Button>
        </p>
      </div>
    </Dialog>
  )
}
