import { Button } from "../../design/button.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { Block, Time } from "../parts.tsx"
import { atTime, until } from "../words.ts"

/** The browsers in which a person is signed in. */
export function SignIns({ person, onChanged }: { readonly person: string; readonly onChanged: () => void }) {
  const path = { id: person }
  const polled = useAnswer("GET /admin/people/{id}/sign-ins", { path })
  const { value, refresh } = polled
  const actions = useActions(() => {
    refresh()
    onChanged()
  })
  const end = (id: string) =>
    actions.act("Signed out of that browser", "DELETE /admin/people/{id}/sign-ins/{sign_in}", {
      path: { ...path, sign_in: id },
    })
  return (
    <Block id="sign-ins" title="Sign-ins">
      <PolledStatus of={polled} actions={actions} />
      {value?.sign_ins.length === 0 && <p class="small">They are not signed in anywhere.</p>}
      {value !== null && value.sign_ins.length > 0 && (
        <ul class="sign-ins" aria-label="Sign-ins">
          {value.sign_ins.map(({ id, created_at: at, expires_at: last }) => (
            <li key={id}>
              <span>
                Since <Time at={at}>{atTime(at)}</Time>
              </span>
              <span class="small">expires {until(last)}</span>
              <Button look="quiet" icon="exit" disabled={actions.isBusy} onClick={() => void end(id)}>
                Sign out<span class="unseen"> of the browser signed in on {atTime(at)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Block>
  )
}
