import type { TargetedSubmitEvent } from "preact"
import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Field } from "../../design/field.tsx"
import { toast } from "../../design/toast.tsx"
import { appliance, inWords } from "../../session/appliance.ts"

/** Maximum number of characters that the appliance stores. */
const MOST_CHARS = 400

/** Asks the operator for a page that the index lacks: by its address if the user knows it, and by the question. */
export function AskFor({
  question,
  url = "",
}: {
  readonly question: string
  /** The page's address, if the page is known but not stored. */
  readonly url?: string | undefined
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        Ask for a page to be added
      </Button>
      {isOpen && (
        <Dialog
          title="Ask for a page to be added"
          under={
            <p class="quiet">
              The operator of this search will see your request. Nothing is fetched automatically.
            </p>
          }
          onClose={() => setOpen(false)}
        >
          <Form question={question} url={url} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  )
}

function Form({
  question,
  url,
  onDone,
}: {
  readonly question: string
  readonly url: string
  readonly onDone: () => void
}) {
  const [wrong, setWrong] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const send = async (given: FormData) => {
    const text = (name: string) => {
      const value = given.get(name)
      return typeof value === "string" ? value.trim() : ""
    }
    setBusy(true)
    const body = { url: text("url"), query: question.slice(0, MOST_CHARS), comment: text("comment") }
    try {
      await appliance.call("POST /page-requests", { body })
      toast("Thank you. The operator can see your request.")
      onDone()
    } catch (error) {
      setWrong(inWords(error))
      setBusy(false)
    }
  }
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void send(new FormData(event.currentTarget))
  }
  return (
    <form class="ask-for" onSubmit={submit}>
      <p>
        You searched for <b>{question}</b>.
      </p>
      <Field
        label="Address of the page or its site"
        name="url"
        value={url}
        placeholder="https://"
        hint="Optional."
        wrong={wrong}
        autofocus
      />
      <Field label="What you need it for" name="comment" hint="Optional." />
      <Button look="primary" icon="check" type="submit" disabled={isBusy}>
        Send
      </Button>
    </form>
  )
}
