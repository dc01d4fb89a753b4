import { useCallback, useEffect, useState } from "preact/hooks"

import { type Asked, askedOf, searchOf } from "./asked.ts"

/** What the address asks, and a way to ask something else. Back and forward go through what was asked. */
export function useAsked(): readonly [Asked, (next: Partial<Asked>) => void] {
  const [asked, setAsked] = useState(() => askedOf(location.search))
  useEffect(() => {
    const follow = () => setAsked(askedOf(location.search))
    addEventListener("popstate", follow)
    return () => removeEventListener("popstate", follow)
  }, [])
  const go = useCallback(
    (next: Partial<Asked>) => {
      const to = { ...asked, ...next }
      const search = searchOf(to)
      if (search === location.search) return
      history.pushState(null, "", search === "" ? location.pathname : search)
      setAsked(to)
    },
    [asked],
  )
  return [asked, go]
}
