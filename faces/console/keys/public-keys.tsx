import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { type Column, Table } from "../../design/table.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { whole } from "../words.ts"
import { sumOf, type Use } from "./use-days.ts"

export type PublicKey = AnswerOf<"GET /admin/public-keys">["public_keys"][number]

const called = ({ name, id }: PublicKey): string => (name === "" ? `Public key ${id}` : name)

/** Keys in web pages, which everyone can read. */
export function PublicKeys({
  keys,
  usage,
  actions: { isBusy, act },
  onDelete,
}: {
  readonly keys: readonly PublicKey[]
  readonly usage: readonly Use[]
  readonly actions: Actions
  readonly onDelete: (key: PublicKey) => void
}) {
  const turn = (key: PublicKey) => {
    const {
      id,
      name,
      source,
      collection,
      origins,
      answers,
      rate_limits,
      credits,
      disabled_at: disabled,
    } = key
    const of = source === null ? { collection: collection ?? "" } : { source }
    const body = { name, origins, answers, rate_limits, credits, disabled: disabled === null, ...of }
    void act(
      disabled === null ? `${called(key)} has been disabled` : `${called(key)} has been enabled`,
      "PUT /admin/public-keys/{id}",
      { path: { id }, body },
    )
  }
  const columns: readonly Column<PublicKey>[] = [
    {
      heading: "Name",
      cell: (key) => (
        <>
          <span class="strong">{called(key)}</span>{" "}
          {key.disabled_at !== null && <Chip tone="bad">Disabled</Chip>}
          <p class="small">
            <code>{key.key}</code>
          </p>
        </>
      ),
    },
    {
      heading: "Sees",
      cell: ({ source, collection }) => <span class="when">{source ?? collection ?? "nothing"}</span>,
    },
    { heading: "Origins", cell: ({ origins }) => <span class="wide">{origins.join(", ")}</span> },
    { heading: "Answers", cell: ({ answers }) => (answers ? "yes" : "no") },
    { heading: "Calls", isNumber: true, cell: ({ id }) => whole(sumOf(usage, id).calls) },
    {
      heading: <span class="unseen">Actions</span>,
      cell: (key) => (
        <span class="todo">
          <Button
            look="quiet"
            icon={key.disabled_at === null ? "pause" : "play"}
            label={`${key.disabled_at === null ? "Disable" : "Enable"} ${called(key)}`}
            disabled={isBusy}
            onClick={() => turn(key)}
          />
          <Button
            look="quiet"
            icon="trash"
            label={`Delete ${called(key)}`}
            disabled={isBusy}
            onClick={() => onDelete(key)}
          />
        </span>
      ),
    },
  ]
  return <Table caption="Public keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
}
