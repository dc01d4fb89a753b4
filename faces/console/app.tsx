import { Button } from "../design/button.tsx"
import { Toasts } from "../design/toast.tsx"
import { SignIn } from "../session/sign-in.tsx"
import { useSession } from "../session/use-session.ts"
import { Waiting } from "../session/waiting.tsx"
import { AddSource } from "./add-source/add-source.tsx"
import { EditSource } from "./add-source/edit-source.tsx"
import { Beginning } from "./first-run/beginning.tsx"
import { FirstRun } from "./first-run/first-run.tsx"
import { Keys } from "./keys/keys.tsx"
import { Going, mayGo, Operator, usePlace } from "./link.tsx"
import { Nothing, Problem } from "./parts.tsx"
import { PageInspector } from "./page/page.tsx"
import { hrefOf, type Place } from "./place.ts"
import { People } from "./people/people.tsx"
import { Person, SeenAs } from "./people/person.tsx"
import { Playground } from "./playground/playground.tsx"
import { Readers } from "./readers/readers.tsx"
import { Removals } from "./removals/removals.tsx"
import { Quality } from "./quality/quality.tsx"
import { Question } from "./quality/question.tsx"
import { JudgedRunView } from "./quality/judged-run.tsx"
import { RuleEditor } from "./rules/rule.tsx"
import { Rules } from "./rules/rules.tsx"
import { Run } from "./run/run.tsx"
import { Shell } from "./shell.tsx"
import { Runs } from "./sources/runs.tsx"
import { Sources } from "./sources/sources.tsx"
import { Upkeep } from "./upkeep/upkeep.tsx"
import { SignedOut } from "./asking/use-polled.ts"
import { Vectors } from "./vectors/vectors.tsx"

/** The console, for administrators; operators see a part of it. */
export function App() {
  const session = useSession()
  const [place, go] = usePlace()
  const { state, signIn, signOut, refresh } = session
  const known = state.kind === "known" ? state.session : null
  const isOperator = known?.role === "operator"
  const mayEnter = known?.role === "admin" || isOperator
  return (
    <>
      {state.kind === "asking" && <Waiting />}
      {state.kind === "failed" && (
        <main class="alone">
          <Problem title="No answer" text={state.problem} onAgain={() => void refresh()} />
        </main>
      )}
      {known && !known.signed_in && <SignIn title="Sign in to the console" session={known} onKey={signIn} />}
      {known?.signed_in && !mayEnter && (
        <main class="alone">
          <Nothing
            icon="key"
            title={`${known.user === null ? "This key" : "Your account"} cannot use the console`}
          >
            <p>
              {known.user === null
                ? "You are signed in with a key that can only search. The console needs a key with the role admin or operator."
                : `You are signed in as ${known.user}, who can only search. The console is for the roles admin and operator.`}
            </p>
            <p class="row">
              <Button look="primary" icon="exit" onClick={() => void signOut()}>
                Sign in {known.user === null ? "with another key" : "as someone else"}
              </Button>
            </p>
          </Nothing>
        </main>
      )}
      {known?.signed_in && mayEnter && (
        <SignedOut.Provider value={() => void refresh()}>
          <Going.Provider value={go}>
            <Operator.Provider value={isOperator}>
              <Shell
                place={place}
                name={known.appliance_name ?? "Fossick"}
                who={known.user ?? (known.key_hint && `…${known.key_hint}`)}
                onSignOut={() => void signOut()}
              >
                <Screen
                  place={mayGo(isOperator, place) ? place : { view: "sources" }}
                  onNamed={() => void refresh()}
                />
              </Shell>
            </Operator.Provider>
          </Going.Provider>
        </SignedOut.Provider>
      )}
      <Toasts />
    </>
  )
}

function Screen({
  place,
  onNamed,
}: {
  readonly place: Place
  /** Called when the appliance is renamed. */
  readonly onNamed: () => void
}) {
  if (place.view === "first-run")
    return <FirstRun key={place.source} source={place.source} onNamed={onNamed} />
  if (place.view === "sources") return <Sources />
  if (place.view === "vectors") return <Vectors />
  if (place.view === "upkeep") return <Upkeep shown={place.shown} />
  if (place.view === "playground") return <Playground />
  if (place.view === "runs") return <Runs key={place.source} source={place.source} />
  if (place.view === "run") return <Run key={place.job} job={place.job} outcome={place.outcome} />
  if (place.view === "add-source") return <AddSource key={place.url} url={place.url} />
  if (place.view === "page") return <PageInspector url={place.url} query={place.query} />
  if (place.view === "source") return <EditSource key={place.source} source={place.source} />
  if (place.view === "removals") return <Removals shown={place.shown} source={place.source} />
  if (place.view === "quality") return <Quality shown={place.shown} report={place.report} />
  if (place.view === "question") return <Question key={place.question} question={place.question} />
  if (place.view === "judged-run")
    return <JudgedRunView key={place.run} run={place.run} against={place.against} />
  if (place.view === "people") return <People shown={place.shown} group={place.group} />
  if (place.view === "person")
    return place.person === null ? (
      <SeenAs key={place.as} principals={place.as} />
    ) : (
      <Person key={place.person} id={place.person} />
    )
  if (place.view === "readers") return <Readers url={place.url} who={place.who} />
  if (place.view === "keys") return <Keys chosen={place.key} />
  if (place.view === "rules") return <Rules />
  if (place.view === "rule") return <RuleEditor key={hrefOf(place)} place={place} />
  return <Beginning onNamed={onNamed} />
}
