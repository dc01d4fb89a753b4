import { useCallback, useEffect, useState } from "preact/hooks"

import { type Asked, askedOf, searchOf } from "./asked.ts"

/** The question in the address, and a function to ask another. Back and forward step through earlier questions. */
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
