import type { TargetedSubmitEvent } from "preact"
import { useState } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Field } from "../design/field.tsx"
import { addressOf, inWords } from "./appliance.ts"
import type { Session } from "./use-session.ts"

/** The ways to sign in, as the appliance lists them: a page that shows this needs to know none of them. */
export function SignIn({
  title = "Sign in to search",
  ways,
  onKey,
}: {
  readonly title?: string
  readonly ways: Session["ways"]
  readonly onKey: (key: string) => Promise<void>
}) {
  return (
    <main class="sign-in" id="content">
      <img src="faces/icon.svg" alt="" width="44" height="44" />
      <h1>{title}</h1>
      {ways.map((way) =>
        way.kind === "key" ? (
          <KeyForm key="key" onKey={onKey} />
        ) : (
          <a key={way.url} class="button primary" href={addressOf(way.url)}>
            {way.name}
          </a>
        ),
      )}
    </main>
  )
}

function KeyForm({ onKey }: { readonly onKey: (key: string) => Promise<void> }) {
  const [wrong, setWrong] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const signIn = async (given: FormDataEntryValue | null) => {
    const key = typeof given === "string" ? given.trim() : ""
    if (key === "") {
      setWrong("Paste your API key.")
      return
    }
    setBusy(true)
    try {
      await onKey(key)
    } catch (error) {
      setWrong(inWords(error))
      setBusy(false)
    }
  }
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void signIn(new FormData(event.currentTarget).get("key"))
  }
  return (
    <form onSubmit={submit} autocomplete="off">
      <Field
        label="API key"
        name="key"
        type="password"
        autocomplete="current-password"
        autofocus
        hint="The first start of the appliance prints one; its operator can make more."
        wrong={wrong}
      />
      <Button look="primary" icon="key" type="submit" disabled={isBusy}>
        Sign in
      </Button>
    </form>
  )
}
