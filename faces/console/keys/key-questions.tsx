import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Select } from "../../design/field.tsx"
import { appliance } from "../../session/appliance.ts"
import type { Actions } from "../asking/use-actions.ts"
import { Confirm } from "../confirm.tsx"
import { type Key, nameOf } from "./key-list.tsx"
import type { Made } from "./made-key.tsx"
import type { PublicKey } from "./public-keys.tsx"

/** An action that needs a confirmation, and its key. */
export type Asked =
  | { readonly act: "rotate" | "disable" | "delete"; readonly key: Key }
  | { readonly act: "delete-public"; readonly key: PublicKey }

interface QuestionProps {
  readonly actions: Actions
  readonly onClose: () => void
}

/** Asks for the confirmation, and then performs the action. */
export function KeyQuestion({
  asked,
  onMade,
  ...question
}: QuestionProps & { readonly asked: Asked; readonly onMade: (made: Made) => void }) {
  if (asked.act === "delete-public") return <DeletePublic of={asked.key} {...question} />
  if (asked.act === "rotate") return <Rotate of={asked.key} onMade={onMade} {...question} />
  return <End of={asked.key} by={asked.act} {...question} />
}

const ENDS = {
  disable: {
    verb: "Disable",
    yes: "Disable key",
    until: " until you enable it again.",
    said: "has been disabled",
    call: "POST /admin/keys/{id}/disable",
  },
  delete: {
    verb: "Delete",
    yes: "Delete key",
    until: ". This cannot be undone; its usage so far will stay in the statistics.",
    said: "has been deleted",
    call: "DELETE /admin/keys/{id}",
  },
} as const

function End({
  of,
  by,
  actions: { act },
  onClose,
}: QuestionProps & { readonly of: Key; readonly by: keyof typeof ENDS }) {
  const { verb, yes, until, said, call } = ENDS[by]
  return (
    <Confirm
      title={`${verb} ${nameOf(of)}?`}
      yes={yes}
      no="Cancel"
      onYes={() => void act(`${nameOf(of)} ${said}`, call, { path: { id: of.id } })}
      onClose={onClose}
    >
      <p>{`Programs that use this key will be refused${until}`}</p>
    </Confirm>
  )
}

function DeletePublic({
  of: { id, name, origins },
  actions: { act },
  onClose,
}: QuestionProps & { readonly of: PublicKey }) {
  return (
    <Confirm
      title={`Delete the public key ${name}?`}
      yes="Delete key"
      no="Cancel"
      onYes={() =>
        void act("The public key has been deleted", "DELETE /admin/public-keys/{id}", { path: { id } })
      }
      onClose={onClose}
    >
      <p>Web pages on {origins.join(", ")} will no longer be able to search. This cannot be undone.</p>
    </Confirm>
  )
}

const OVERLAPS = [
  { value: "0", label: "Stops working now" },
  { value: "1", label: "Works for another hour" },
  { value: "24", label: "Works for another day" },
  { value: "168", label: "Works for another week" },
] as const

function Rotate({
  of,
  actions: { doing },
  onMade,
  onClose,
}: QuestionProps & { readonly of: Key; readonly onMade: (made: Made) => void }) {
  const [hours, setHours] = useState<(typeof OVERLAPS)[number]["value"]>("24")
  const rotate = () => {
    onClose()
    void doing(
      hours === "0" ? "The old key no longer works" : "Both keys work until the old one expires",
      async () => {
        const { key, signing_secret: secret } = await appliance.call("POST /admin/keys/{id}/rotate", {
          path: { id: of.id },
          body: { overlap_hours: Number(hours) },
        })
        onMade({ name: of.name, key, secret, isPublic: false })
      },
    )
  }
  return (
    <Dialog title={`Rotate ${nameOf(of)}?`} onClose={onClose}>
      <div class="confirm">
        <p>
          You will get a new key with the same rights. It will be shown once, and its credits will start from
          zero.
        </p>
        <Select name="overlap" label="The old key" value={hours} options={OVERLAPS} onChoose={setHours} />
        <p class="row">
          <Button look="primary" icon="restore" onClick={rotate}>
            Create the new key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </div>
    </Dialog>
  )
}
