import type { TargetedSubmitEvent } from "preact"
import { useState } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Field } from "../design/field.tsx"
import { addressOf, inWords } from "./appliance.ts"
import type { Session } from "./use-session.ts"

/** The address of a link that signs the user in at a provider and comes back to this page. */
export const signInAddress = (way: Extract<Session["ways"][number], { readonly kind: "link" }>): string =>
  `${addressOf(way.url)}?return=${encodeURIComponent(location.pathname + location.search + location.hash)}`

/** The ways to sign in, as listed by the appliance: a page that shows this needn't know any of them. */
export function SignIn({
  title = "Sign in to search",
  session: { ways, sign_out_url: signOutUrl },
  onKey,
}: {
  readonly title?: string
  readonly session: Pick<Session, "ways" | "sign_out_url">
  readonly onKey: (key: string) => Promise<void>
}) {
  const links = ways.filter((way) => way.kind === "link")
  const takesKey = ways.some(({ kind }) => kind === "key")
  return (
    <main class="sign-in" id="content">
      <img src="faces/icon.svg" alt="" width="44" height="44" />
      <h1>{title}</h1>
      {signOutUrl !== null && (
        <p role="status">
          You are signed out here. <a href={signOutUrl}>Sign out of your account as well</a>
        </p>
      )}
      {links.map((way) => (
        <a key={way.url} class="button primary" href={signInAddress(way)}>
          {way.name}
        </a>
      ))}
      {takesKey && links.length === 0 && <KeyForm onKey={onKey} />}
      {takesKey && links.length > 0 && (
        <details>
          <summary>Sign in with an API key</summary>
          <KeyForm onKey={onKey} />
        </details>
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
        hint="The appliance prints one when it first starts; its operator can make more."
        wrong={wrong}
      />
      <Button look="primary" icon="key" type="submit" disabled={isBusy}>
        Sign in
      </Button>
    </form>
  )
}
