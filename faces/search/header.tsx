import { Button } from "../design/button.tsx"
import { ThemeButton } from "../design/theme.tsx"
import { addressOf } from "../session/appliance.ts"
import { signInAddress } from "../session/sign-in.tsx"
import type { Session, UsedSession } from "../session/use-session.ts"
import { SearchBox } from "./search-box.tsx"

/** The search box and its controls. Before the first question, it is in the middle of the page. */
export function Header({
  question,
  onAsk,
  session: { state, signOut },
}: {
  readonly question: string
  readonly onAsk: (question: string) => void
  readonly session: UsedSession
}) {
  const isHome = question === ""
  const runsIt =
    state.kind === "known" &&
    state.session.signed_in &&
    (state.session.role === "admin" || state.session.role === "operator")
  const name = (state.kind === "known" && state.session.appliance_name) || "Fossick"
  const isSignedIn = state.kind === "known" && state.session.signed_in
  return (
    <header class={isHome ? "top home" : "top"}>
      <a class="brand" href={addressOf("")} aria-label={`${name}, the search page`}>
        <img src="faces/icon.svg" alt="" width="32" height="32" />
        <span>{name}</span>
      </a>
      <SearchBox question={question} isHome={isHome} onAsk={onAsk} />
      <nav class="menu" aria-label="Page">
        {runsIt && (
          <a class="button quiet" href={addressOf("console")}>
            Console
          </a>
        )}
        <ThemeButton />
        {!isSignedIn && state.kind === "known" && <SignInLinks ways={state.session.ways} />}
        {isSignedIn && <Button look="quiet" icon="exit" label="Sign out" onClick={() => void signOut()} />}
      </nav>
    </header>
  )
}

/** Links to sign in, for appliances with open search, where users who sign in find more. */
function SignInLinks({ ways }: { readonly ways: Session["ways"] }) {
  const links = ways.filter((way) => way.kind === "link")
  return (
    <>
      {links.map((way) => (
        <a key={way.url} class="button quiet" href={signInAddress(way)}>
          {links.length === 1 ? "Sign in" : way.name}
        </a>
      ))}
    </>
  )
}
