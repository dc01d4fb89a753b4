import { useCallback, useEffect, useMemo } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Toasts } from "../design/toast.tsx"
import { SignIn } from "../session/sign-in.tsx"
import { useSession, type UsedSession } from "../session/use-session.ts"
import { Waiting } from "../session/waiting.tsx"
import { StoredCopy } from "../reading/stored-copy.tsx"
import { Answer } from "./answer.tsx"
import { type Asked, asking, COUNTS } from "./asked.ts"
import { Header } from "./header.tsx"
import { Home } from "./home.tsx"
import { Found } from "./results/found.tsx"
import { Problem } from "./results/nothing.tsx"
import { useAsked } from "./use-asked.ts"
import { isDoubtful, type Searched, useSearch } from "./use-search.ts"

/** The search page: users sign in (unless search is open to all) and ask their questions. */
export function App() {
  const session = useSession()
  const { state, signIn } = session
  return (
    <>
      {state.kind === "asking" && <Waiting />}
      {state.kind === "failed" && <Problem text={state.problem} onAgain={() => void session.refresh()} />}
      {state.kind === "known" &&
        (state.session.signed_in || state.session.is_open ? (
          <Search session={session} isAdmin={state.session.role === "admin"} />
        ) : (
          <SignIn session={state.session} onKey={signIn} />
        ))}
      <Toasts />
    </>
  )
}

function Search({ session, isAdmin }: { readonly session: UsedSession; readonly isAdmin: boolean }) {
  const [asked, go] = useAsked()
  const searched = useSearch(asked, isAdmin)
  const { question, copy } = asked
  const ask = (wanted: string) => go(asking(wanted))
  const open = useCallback((next: NonNullable<Asked["copy"]>) => go({ copy: next }), [go])
  const { problem } = searched
  const name = (session.state.kind === "known" && session.state.session.appliance_name) || "Fossick"
  useEffect(() => {
    document.title = question === "" ? name : `${question} · ${name}`
  }, [question, name])
  useEffect(() => {
    // A session can end while its page is open.
    if (problem?.status === 401) void session.refresh()
  }, [problem])
  useArrows()
  return (
    <>
      <a class="unseen skip" href="#content">
        Skip to results
      </a>
      <Header question={question} onAsk={ask} session={session} />
      {question === "" ? (
        <Home isAdmin={isAdmin} />
      ) : (
        <main id="content" class="page" tabIndex={-1}>
          <h1 class="unseen">Results for {question}</h1>
          <Said searched={searched} />
          {problem === null ? (
            <Found asked={asked} searched={searched} onChange={go} onOpen={open}>
              <Answer searched={searched} onOpen={open} onAsk={ask} />
            </Found>
          ) : (
            <Problem text={problem.text} />
          )}
          <More asked={asked} searched={searched} onMore={(count) => go({ count })} />
        </main>
      )}
      {copy !== null && (
        <StoredCopy key={copy.url} url={copy.url} passage={copy.passage} onClose={() => go({ copy: null })} />
      )}
    </>
  )
}

/** Read out when results have arrived. */
function Said({ searched: { found } }: { readonly searched: Searched }) {
  const count = found?.results.length ?? 0
  return (
    <p class="unseen" role="status">
      {found !== null &&
        (isDoubtful(found)
          ? `No good match for ${found.query}`
          : `${count === 0 ? "No" : count} ${count === 1 ? "result" : "results"} for ${found.query}`)}
    </p>
  )
}

function More({
  asked,
  searched: { found },
  onMore,
}: {
  readonly asked: Asked
  readonly searched: Searched
  readonly onMore: (count: number) => void
}) {
  const next = useMemo(() => COUNTS.find((count) => count > asked.count), [asked.count])
  if (asked.view !== "pages" || next === undefined || found === null) return null
  if (found.results.length < asked.count || isDoubtful(found)) return null
  return (
    <p class="more">
      <Button icon="down" onClick={() => onMore(next)}>
        More results
      </Button>
    </p>
  )
}

/** Arrow keys move from result to result while a result has the focus. */
function useArrows(): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
      const all = [...document.querySelectorAll<HTMLElement>("[data-result]")]
      const at = all.findIndex((one) => one === document.activeElement)
      if (at < 0) return
      event.preventDefault()
      all[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus()
    }
    addEventListener("keydown", move)
    return () => removeEventListener("keydown", move)
  }, [])
}
