import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { since } from "../../reading/dates.ts"
import { appliance } from "../../session/appliance.ts"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { usePolled } from "../asking/use-polled.ts"
import { Head } from "../parts.tsx"
import { counted } from "../words.ts"
import { Connect } from "./connect.tsx"
import { type Key, type KeyAct, KeyList, nameOf } from "./key-list.tsx"
import { type Asked, KeyQuestion } from "./key-questions.tsx"
import { KeyUse } from "./key-use.tsx"
import { type Made, MadeKey } from "./made-key.tsx"
import { NewKey } from "./new-key.tsx"
import { PublicKeys } from "./public-keys.tsx"
import { DAYS } from "./use-days.ts"

const MOST = 1000

async function look(signal: AbortSignal) {
  const [keys, { usage }, publicKeys, { sources }] = await Promise.all([
    appliance.call("GET /admin/keys", { query: { limit: MOST }, signal }),
    appliance.call("GET /admin/usage", { query: { days: DAYS }, signal }),
    appliance.call("GET /admin/public-keys", { query: { limit: MOST }, signal }),
    appliance.call("GET /admin/sources", { query: { limit: MOST }, signal }),
  ])
  const namesOf = (some: typeof sources) => some.map(({ name }) => name)
  return {
    ...keys,
    usage,
    publicKeys: publicKeys.public_keys,
    sources: namesOf(sources),
    ofDocuments: namesOf(sources.filter(({ source }) => source.documents)),
  }
}

type Seen = Awaited<ReturnType<typeof look>>

/** Keys: who may search, which pages they see, and how much they use. */
export function Keys({ chosen }: { readonly chosen: string | null }) {
  const [isMaking, setMaking] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const polled = usePolled("keys", look)
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <>
      <Head title="Keys" page="Keys" under={value !== null && countsOf(value)}>
        <Button look="primary" icon="plus" disabled={value === null} onClick={() => setMaking(true)}>
          New key
        </Button>
      </Head>
      <PolledStatus of={polled} actions={actions} />
      {value !== null && (
        <>
          <KeyUse keys={value.keys} usage={value.usage} chosen={chosen} />
          <SecretKeys seen={value} actions={actions} onAsk={setAsked} />
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
      {isMaking && value !== null && (
        <NewKey
          sources={value.sources}
          ofDocuments={value.ofDocuments}
          collections={value.collections}
          onMade={(one) => {
            setMaking(false)
            setMade(one)
            refresh()
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {asked !== null && (
        <KeyQuestion asked={asked} actions={actions} onMade={setMade} onClose={() => setAsked(null)} />
      )}
      {made !== null && <MadeKey made={made} onClose={() => setMade(null)} />}
    </>
  )
}

const countsOf = ({ total, publicKeys }: Seen): string =>
  `${counted(total, "key")}${publicKeys.length === 0 ? "" : `, ${counted(publicKeys.length, "public key")}`}`

/** The keys that are secret. Enabling one needs no confirmation. */
function SecretKeys({
  seen: { keys, usage, current_key_id: own, operator_last_used_at: operatorUsed },
  actions: { isBusy, act },
  onAsk,
}: {
  readonly seen: Seen
  readonly actions: Actions
  readonly onAsk: (asked: Asked) => void
}) {
  const onAct = (name: KeyAct, key: Key) => {
    if (name !== "enable") onAsk({ act: name, key })
    else {
      void act(`${nameOf(key)} has been enabled`, "POST /admin/keys/{id}/enable", { path: { id: key.id } })
    }
  }
  return (
    <div class="block">
      <h2>Keys</h2>
      {operatorUsed !== null && (
        <p class="small">
          The key in <code>FOSSICK_API_KEY</code> was last used {since(operatorUsed)}; it is valid as long as
          it is set.
        </p>
      )}
      {keys.length === 0 ? (
        <p class="small">No keys yet.</p>
      ) : (
        <KeyList keys={keys} own={own} usage={usage} isBusy={isBusy} onAct={onAct} />
      )}
    </div>
  )
}
