import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Fact, Head, Time } from "../parts.tsx"
import { atTime, counted } from "../words.ts"
import { nameOf, type Person as OnePerson, RoleChip } from "./people.tsx"
import { Sees, type Whom } from "./sees.tsx"
import { SignIns } from "./sign-ins.tsx"

/** One person, by their id: who they are, their sessions, and their scope. */
export function Person({ id }: { readonly id: string }) {
  const [asked, setAsked] = useState<"disable" | "sign-out" | null>(null)
  const polled = useAnswer("GET /admin/people/{id}", { path: { id } })
  const { value: person, refresh } = polled
  const actions = useActions(refresh)
  return (
    <>
      <Head
        title={person === null ? "Person" : nameOf(person)}
        page={person === null ? "Person" : nameOf(person)}
        under={
          <>
            {person !== null && <RoleChip of={person} />}
            <Link to={{ view: "people", shown: "people", group: null }}>All people</Link>
          </>
        }
      >
        {person !== null && <Acts person={person} actions={actions} onAsk={setAsked} />}
      </Head>
      <PolledStatus of={polled} actions={actions} />
      {person !== null && (
        <>
          {person.refusal !== null && <p class="notice plain">{person.refusal}</p>}
          <Facts of={person} />
          {/* With this key, the list is fetched again when the number of sign-ins changes. */}
          <SignIns key={`${person.sign_ins}`} person={id} onChanged={refresh} />
          <Seen key={person.refusal} whom={{ person: id }} />
        </>
      )}
      {person !== null && asked !== null && (
        <Question asked={asked} person={person} actions={actions} onClose={() => setAsked(null)} />
      )}
    </>
  )
}

/** The pages that principals, such as a group, may read. */
export function SeenAs({ principals }: { readonly principals: string }) {
  const names = principals.split(",").filter((one) => one !== "signed-in")
  const title = names.length === 1 ? names[0]!.replace(/^group:/, "Group ") : principals
  return (
    <>
      <Head
        title={title}
        page={title}
        under={
          <>
            <span>What someone identified only as {principals.replaceAll(",", ", ")} may read.</span>
            <Link to={{ view: "people", shown: "groups", group: null }}>All groups</Link>
          </>
        }
      />
      <Seen whom={{ principals }} />
    </>
  )
}

function Seen({ whom }: { readonly whom: Whom }) {
  // The view is rebuilt when this person changes, so the answer isn't polled.
  const polled = useAnswer("GET /admin/readers/seen-by", { query: whom }, () => null)
  return (
    <>
      <PolledStatus of={polled} />
      {polled.value !== null && <Sees of={polled.value} whom={whom} />}
    </>
  )
}

function Acts({
  person: { id, sign_ins: signIns, disabled_at: disabled, user },
  actions: { isBusy, act },
  onAsk,
}: {
  readonly person: OnePerson
  readonly actions: Actions
  readonly onAsk: (asked: "disable" | "sign-out") => void
}) {
  const enable = () => act(`${user} has been enabled`, "POST /admin/people/{id}/enable", { path: { id } })
  return (
    <>
      {signIns > 0 && (
        <Button icon="exit" disabled={isBusy} onClick={() => onAsk("sign-out")}>
          Sign out everywhere
        </Button>
      )}
      {disabled === null ? (
        <Button icon="pause" disabled={isBusy} onClick={() => onAsk("disable")}>
          Disable
        </Button>
      ) : (
        <Button icon="play" disabled={isBusy} onClick={() => void enable()}>
          Enable
        </Button>
      )}
    </>
  )
}

function Question({
  asked,
  person: { id, user },
  actions: { act },
  onClose,
}: {
  readonly asked: "disable" | "sign-out"
  readonly person: OnePerson
  readonly actions: Actions
  readonly onClose: () => void
}) {
  if (asked === "disable") {
    const disable = () =>
      act(`${user} has been disabled`, "POST /admin/people/{id}/disable", { path: { id } })
    return (
      <Confirm
        title={`Disable ${user}?`}
        yes="Disable"
        no="Cancel"
        onYes={() => void disable()}
        onClose={onClose}
      >
        <p>
          They will be signed out everywhere. Until you enable them again, neither they nor programs that act
          for them will be able to do anything here. Their account with the provider will not change.
        </p>
      </Confirm>
    )
  }
  const end = () => act(`${user} has been signed out`, "DELETE /admin/people/{id}/sign-ins", { path: { id } })
  return (
    <Confirm
      title={`Sign out ${user}?`}
      yes="Sign out"
      no="Cancel"
      onYes={() => void end()}
      onClose={onClose}
    >
      <p>They will be signed out of every browser. They can sign in again through their provider.</p>
    </Confirm>
  )
}

const PROOFS = {
  fresh: "valid",
  due: "valid; the next call will check with the provider again",
  over: "not valid until the provider confirms them again",
} as const

const Facts = ({ of }: { readonly of: OnePerson }) => (
  <dl class="facts person">
    <Fact name="User">
      <code>user:{of.user}</code>
    </Fact>
    {of.email !== "" && of.email !== of.user && <Fact name="E-mail">{of.email}</Fact>}
    <Fact name="Provider">{of.provider}</Fact>
    <Fact name="First sign-in">{atTime(of.first_seen_at)}</Fact>
    <Fact name="Last sign-in">{atTime(of.last_seen_at)}</Fact>
    <Fact name="Confirmed">
      <Time at={of.proved_at} />
      {of.proof !== null && <p class="small">{PROOFS[of.proof]}</p>}
    </Fact>
    <Fact name={counted(of.groups.length, "group")} wide>
      {of.groups.length === 0
        ? "none"
        : of.groups.map((group, index) => (
            <>
              {index > 0 && ", "}
              <Link to={{ view: "person", person: null, as: `group:${group},signed-in` }}>{group}</Link>
            </>
          ))}
    </Fact>
  </dl>
)
