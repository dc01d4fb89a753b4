import { Toasts } from "../design/toast.tsx"
import { SignIn } from "../session/sign-in.tsx"
import { useSession } from "../session/use-session.ts"

/** The search page: somebody signs in, unless everybody may search, and asks. */
export function App() {
  const { state, signIn } = useSession()
  if (state.kind === "asking") return null
  if (state.kind === "failed") return <p role="alert">{state.problem}</p>
  const { session } = state
  return (
    <>
      {session.signed_in || session.is_open ? <main /> : <SignIn ways={session.ways} onKey={signIn} />}
      <Toasts />
    </>
  )
}
