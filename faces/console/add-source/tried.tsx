import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import { appliance } from "../../session/appliance.ts"
import { Block, Problem } from "../parts.tsx"
import { counted } from "../words.ts"
import { type Draft, sourceOf } from "./draft.ts"
import { PagesRead } from "./pages-read.tsx"
import { Busy } from "../asking/status.tsx"
import { useCall } from "../asking/use-call.ts"

type Trial = AnswerOf<"POST /admin/sources/trial">
type Pages = Trial["pages"]

const LOGINS: Readonly<Record<NonNullable<Trial["login"]>["kind"], string>> = {
  basic: "user and password",
  headers: "the token",
  cookies: "the cookie",
  form: "the form",
}

/** The text that Fossick reads from pages of the source: as it was read during the look and, on request, as it is read with the current settings. */
export function Reading({
  draft,
  seen,
  onWrong,
}: {
  readonly draft: Draft
  /** The pages read during the look. */
  readonly seen: Pages
  /** Shows the draft's problems; called if they keep the draft from being tried. */
  readonly onWrong: () => void
}) {
  const { value, problem, isBusy, call, cancel } = useCall<Trial>()
  const tryIt = () =>
    call(async (signal) => {
      const body = { source: sourceOf(draft) }
      const trial = await appliance.call("POST /admin/sources/trial", { body, signal })
      if (trial.problems.length > 0) onWrong()
      return trial
    })
  const isTried = value !== null && value.problems.length === 0
  const pages = isTried ? value.pages : seen
  return (
    <Block id="read" title="How Fossick reads the pages">
      {problem !== null && <Problem text={problem} onAgain={tryIt} />}
      {value?.login != null && <LoginTried login={value.login} />}
      {value !== null && !isTried && (
        <p class="small">Correct the marked fields before you try these settings.</p>
      )}
      {isTried && pages.length === 0 && value.login?.error == null && (
        <p class="small">No pages could be read.</p>
      )}
      {pages.length > 0 && <PagesRead pages={pages} />}
      {isBusy ? (
        <Busy label="Reading pages" onStop={cancel}>
          {draft.login === "none" ? "Reading up to five pages" : "Logging in, then reading up to five pages"},
          with pauses between them …
        </Busy>
      ) : (
        <p class="row">
          <Button icon="play" onClick={tryIt}>
            {draft.login === "none"
              ? "Read five pages with these settings"
              : "Test the login and read five pages"}
          </Button>
        </p>
      )}
      {isTried && !isBusy && <p class="small">{counted(value.requests, "request")}; nothing was indexed.</p>}
    </Block>
  )
}

function LoginTried({ login: { kind, error } }: { readonly login: NonNullable<Trial["login"]> }) {
  return error === null ? (
    <p class="well">
      <Icon name="check" />
      The login with {LOGINS[kind]} works.
    </p>
  ) : (
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <p class="strong">The login does not work</p>
      <p class="small">{error}</p>
    </div>
  )
}
