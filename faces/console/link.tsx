import { type ComponentChildren, createContext } from "preact"
import { useCallback, useContext, useEffect, useState } from "preact/hooks"

import { addressOf } from "../session/appliance.ts"
import { hrefOf, type Place, placeOf } from "./place.ts"

type Go = (to: Place) => void

/** Goes to another place in the console without reloading the page. */
export const Going = createContext<Go>((to) => location.assign(addressOf(hrefOf(to))))

/** The screens for operators, who can run crawls but decide nothing else. */
const OF_OPERATORS: ReadonlySet<Place["view"]> = new Set(["sources", "runs", "run", "removals"])

/** Whether the signed-in user is an operator, not an administrator. */
export const Operator = createContext(false)

/** Whether the user may open a place. */
export const mayGo = (isOperator: boolean, { view }: Place): boolean => !isOperator || OF_OPERATORS.has(view)

/** The place in the address, and a function to go to another. Back and forward step through earlier places. */
export function usePlace(): readonly [Place, Go] {
  const [place, setPlace] = useState(() => placeOf(location.search))
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.search))
    addEventListener("popstate", follow)
    return () => removeEventListener("popstate", follow)
  }, [])
  const go = useCallback((to: Place) => {
    const address = addressOf(hrefOf(to))
    if (address !== location.href) history.pushState(null, "", address)
    setPlace(to)
  }, [])
  return [place, go]
}

/**
 * A link to a place in the console. Users without access see only its text, and no button. A click with a modifier key
 * is left to the browser, which opens another tab.
 */
export function Link({
  to,
  class: look,
  current = false,
  label,
  children,
}: {
  readonly to: Place
  readonly class?: string
  /** Whether the link points to the current place. */
  readonly current?: boolean
  /** The link's label if it shows only an icon. */
  readonly label?: string
  readonly children: ComponentChildren
}) {
  const go = useContext(Going)
  const isOperator = useContext(Operator)
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  if (!mayGo(isOperator, to)) return look?.includes("button") ? null : <>{children}</>
  return (
    <a
      href={addressOf(hrefOf(to))}
      class={look}
      aria-current={current ? "page" : undefined}
      aria-label={label}
      title={label}
      onClick={follow}
    >
      {children}
    </a>
  )
}

/** Links to the parts of a screen, drawn as tabs. */
export const LinkTabs = <Part extends string>({
  label,
  parts,
  names,
  shown,
  to,
}: {
  readonly label: string
  readonly parts: readonly Part[]
  readonly names: Readonly<Record<Part, string>>
  readonly shown: Part
  readonly to: (part: Part) => Place
}) => (
  <nav class="tabs" aria-label={label}>
    {parts.map((one) => (
      <Link key={one} to={to(one)} class="tab" current={one === shown}>
        {names[one]}
      </Link>
    ))}
  </nav>
)
