import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { since } from "../../reading/dates.ts"
import { Link } from "../link.tsx"
import { Fact } from "../parts.tsx"
import { counted, until, whole } from "../words.ts"
import { DAYS, sumOf, type Use } from "./use-days.ts"

export type Key = AnswerOf<"GET /admin/keys">["keys"][number]

/** Actions on a key. */
export type KeyAct = "disable" | "enable" | "rotate" | "delete"

const ROLES = { search: "Search", write: "Write", operator: "Operator", admin: "Admin" } as const

/** Actions besides deleting, each for keys of one status. `isForOwn`: also available for the key that the user signed in with. */
const ACTS = [
  { act: "rotate", of: "active", isForOwn: true, icon: "restore", label: "Rotate" },
  { act: "enable", of: "disabled", isForOwn: true, icon: "play", label: "Enable" },
  { act: "disable", of: "active", isForOwn: false, icon: "pause", label: "Disable" },
] as const

/** The label of a key without a name. */
export const nameOf = ({ name, id }: Pick<Key, "name" | "id">): string => (name === "" ? `Key ${id}` : name)

/** A card for each key: its rights, its usage, and the actions on it. */
export function KeyList({
  keys,
  own,
  usage,
  isBusy,
  onAct,
}: {
  readonly keys: readonly Key[]
  /** Id of the key the user signed in with. */
  readonly own: string
  readonly usage: readonly Use[]
  readonly isBusy: boolean
  readonly onAct: (act: KeyAct, key: Key) => void
}) {
  return (
    <ul class="keys" aria-label="Keys">
      {keys.map((key) => (
        <li key={key.id} class={key.status === "active" ? "card" : "card ended"}>
          <div class="between">
            <h3>{nameOf(key)}</h3>
            <p class="state">
              <Chip tone={key.role === "admin" ? "accent" : "good"} icon="key">
                {ROLES[key.role]}
              </Chip>
              {key.status === "disabled" && <Chip tone="bad">Disabled</Chip>}
              {key.status === "expired" && <Chip tone="warn">Expired</Chip>}
              {key.id === own && <Chip>Yours</Chip>}
            </p>
          </div>
          <KeyFacts of={key} usage={usage} />
          <p class="row">
            <Link to={{ view: "keys", key: key.id }} class="button quiet">
              Usage<span class="unseen"> of {nameOf(key)}</span>
            </Link>
            {ACTS.filter(({ of, isForOwn }) => key.status === of && (isForOwn || key.id !== own)).map(
              ({ act, icon, label }) => (
                <Button key={act} look="quiet" icon={icon} disabled={isBusy} onClick={() => onAct(act, key)}>
                  {label}
                  <span class="unseen"> {nameOf(key)}</span>
                </Button>
              ),
            )}
            {key.id !== own && (
              <Button
                look="quiet"
                icon="trash"
                label={`Delete ${nameOf(key)}`}
                disabled={isBusy}
                onClick={() => onAct("delete", key)}
              />
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

function KeyFacts({ of: key, usage }: { readonly of: Key; readonly usage: readonly Use[] }) {
  const { calls, credits } = sumOf(usage, key.id)
  return (
    <dl class="key-facts">
      <Fact name="Key">
        <code>…{key.ends_with}</code> <span class="small">id {key.id}</span>
      </Fact>
      <Fact name={key.role === "write" ? "Sends to" : "Sees"}>
        <Scope of={key} />
      </Fact>
      <Fact name="Limits">{limitsOf(key).join("; ") || "only the defaults"}</Fact>
      <Fact name={`${DAYS} days`}>
        {counted(calls, "call")}, {counted(credits, "credit")}
      </Fact>
      <Fact name="Last used">{key.last_used_at === null ? "never" : since(key.last_used_at)}</Fact>
    </dl>
  )
}

function Scope({
  of: { sources, collections, domains, principals, gone_sources: gone },
}: {
  readonly of: Key
}) {
  const parts = [
    sources?.length && `source ${sources.join(", ")}`,
    collections?.length && `collection ${collections.join(", ")}`,
    domains?.length && `on ${domains.join(", ")}`,
  ].filter(Boolean)
  return (
    <>
      {parts.length === 0 ? "all sources" : parts.join("; ")}
      {principals?.length ? `, as ${principals.join(", ")}` : ""}
      {gone.length > 0 && (
        <>
          {" "}
          <Chip tone="warn" icon="alert">
            {gone.join(", ")} no longer {gone.length === 1 ? "exists" : "exist"}
          </Chip>
        </>
      )}
    </>
  )
}

const PERIODS: Readonly<Record<string, string>> = {
  "1": "a second",
  "60": "a minute",
  "3600": "an hour",
  "86400": "a day",
}

/** `search 60 a minute` for `search=60/60s`. */
const inWords = (rates: string): string =>
  rates.replaceAll(
    /=(\d+)\/(\d+)s\b/g,
    (_, calls: string, seconds: string) =>
      ` ${whole(Number(calls))} ${PERIODS[seconds] ?? `in ${seconds} seconds`}`,
  )

function limitsOf(key: Key): readonly string[] {
  const {
    credit_limit: credits,
    limit_per: per,
    rate_limits: rates,
    endpoints,
    expires_at: end,
    projects,
  } = key
  return [
    credits === null ? "" : `${whole(credits)} credits ${per === "total" ? "in total" : "a month"}`,
    rates === null ? "" : inWords(rates),
    endpoints === null ? "" : `${endpoints.join(", ")} only`,
    projects.length === 0 ? "" : `project ${projects.join(", ")}`,
    end === null || key.status === "expired" ? "" : `expires ${until(end)}`,
    key.acts_for_people === null ? "" : "acts for people",
    key.may_make_keys && key.role !== "admin" ? "may make keys" : "",
  ].filter((one) => one !== "")
}
