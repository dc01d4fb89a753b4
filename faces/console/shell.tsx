import type { ComponentChildren } from "preact"

import { useContext, useEffect, useRef } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Icon, type IconName } from "../design/icons.tsx"
import { ThemeButton } from "../design/theme.tsx"
import { addressOf } from "../session/appliance.ts"
import { Link, mayGo, Operator } from "./link.tsx"
import type { Place } from "./place.ts"
import { useAnswer } from "./asking/use-polled.ts"
import { whole } from "./words.ts"

const VIEWS: readonly {
  readonly to: Place
  readonly icon: IconName
  readonly name: string
  /** The views that belong to this entry. */
  readonly holds: readonly Place["view"][]
}[] = [
  { to: { view: "overview" }, icon: "why", name: "Overview", holds: ["overview", "first-run"] },
  { to: { view: "sources" }, icon: "globe", name: "Sources", holds: ["sources", "add-source", "source"] },
  { to: { view: "runs", source: null }, icon: "clock", name: "Runs", holds: ["runs", "run"] },
  { to: { view: "page", url: null, query: null }, icon: "page", name: "Pages", holds: ["page"] },
  {
    to: { view: "removals", shown: "held", source: null },
    icon: "inbox",
    name: "Removals",
    holds: ["removals"],
  },
  { to: { view: "vectors" }, icon: "vectors", name: "Vectors", holds: ["vectors"] },
  {
    to: { view: "quality", shown: "queries", report: "zero" },
    icon: "search",
    name: "Search quality",
    holds: ["quality", "question", "judged-run"],
  },
  { to: { view: "rules" }, icon: "filter", name: "Rules", holds: ["rules", "rule"] },
  { to: { view: "keys", key: null }, icon: "key", name: "Keys", holds: ["keys"] },
  {
    to: { view: "people", shown: "people", group: null },
    icon: "people",
    name: "People",
    holds: ["people", "person"],
  },
  { to: { view: "readers", url: null, who: null }, icon: "eye", name: "Readers", holds: ["readers"] },
  { to: { view: "upkeep", shown: "backups" }, icon: "tools", name: "Upkeep", holds: ["upkeep"] },
  { to: { view: "playground" }, icon: "code", name: "Playground", holds: ["playground"] },
]

/** The frame around every screen: navigation, the signed-in user, and sign-out. */
export function Shell({
  place,
  name,
  who,
  onSignOut,
  children,
}: {
  readonly place: Place
  /** The appliance's name. */
  readonly name: string
  /** Name of the user, or the end of the key; null if unknown. */
  readonly who: string | null
  readonly onSignOut: () => void
  readonly children: ComponentChildren
}) {
  const held = useAnswer("GET /admin/removals", { query: { limit: 1 } })
  const isOperator = useContext(Operator)
  const isFirst = useRef(true)
  const screen = screenOf(place)
  useEffect(() => {
    // Screen readers announce the new place; a newly loaded page starts at its top.
    if (!isFirst.current) document.querySelector<HTMLElement>("h1")?.focus()
    isFirst.current = false
  }, [screen])
  const waiting = held.value?.total ?? 0
  useEffect(() => {
    // On a narrow screen, the rows of views and tabs are wider than the screen, so the current ones are scrolled into
    // view.
    for (const current of document.querySelectorAll(".view[aria-current], .tab[aria-current]")) {
      current.scrollIntoView({ block: "nearest", inline: "center" })
    }
  }, [screen, waiting > 0])
  return (
    <div class="console">
      <a class="unseen skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <a class="sign" href={addressOf("")} aria-label={`${name}, the search page`}>
          <img src="faces/icon.svg" alt="" width="28" height="28" />
          <span>{name}</span>
        </a>
        <nav aria-label="Console">
          <ul class="views">
            {VIEWS.filter(({ to }) => mayGo(isOperator, to)).map(({ to, icon, name, holds }) => (
              <li key={name}>
                <Link to={to} class="view" current={holds.includes(place.view)}>
                  <Icon name={icon} />
                  <span>{name}</span>
                  {to.view === "removals" && waiting > 0 && (
                    <span class="count">
                      {whole(waiting)}
                      <span class="unseen"> waiting for you</span>
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div class="who">
          <p>
            <span>Signed in as {isOperator ? "operator" : "admin"}</span>
            {who && <code>{who}</code>}
          </p>
          <ThemeButton />
          <Button look="quiet" icon="exit" label="Sign out" onClick={onSignOut} />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** A text that stays the same as long as the user stays on one screen. */
function screenOf(place: Place): string {
  if (place.view === "run") return `run ${place.job}`
  if (place.view === "question") return `question ${place.question}`
  if (place.view === "people") return `people ${place.shown}`
  if (place.view === "person") return `person ${place.person ?? place.as}`
  if (place.view === "quality") return `quality ${place.shown}`
  return place.view
}
