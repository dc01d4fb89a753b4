import type { ComponentChildren, RefObject } from "preact"
import { useEffect } from "preact/hooks"

import { Button } from "../design/button.tsx"
import { Chip } from "../design/chip.tsx"
import { Icon, type IconName } from "../design/icons.tsx"
import { since } from "../reading/dates.ts"
import { atTime } from "./words.ts"

/** The head of a screen: its title and its actions. */
export function Head({
  title,
  page,
  under,
  children,
}: {
  readonly title: ComponentChildren
  /** The title for the browser's tab. */
  readonly page: string
  readonly under?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${page} · Fossick`
  }, [page])
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {under !== undefined && <div class="under">{under}</div>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}

/** An error, and a way to try again if there is one. */
export function Problem({
  title = "This did not work",
  text,
  onAgain,
}: {
  readonly title?: string
  readonly text: string
  readonly onAgain?: () => void
}) {
  return (
    <section class="notice bad" role="alert">
      <Icon name="alert" />
      <h2>{title}</h2>
      <p>{text}</p>
      {onAgain !== undefined && (
        <p>
          <Button onClick={onAgain}>Try again</Button>
        </p>
      )}
    </section>
  )
}

/** An empty screen: the reason, and what to do about it. */
export function Nothing({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <section class="nothing">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Shown before the first answer arrives. */
export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
)

type State = "queued" | "running" | "paused" | "finished" | "failed" | "cancelled"
type Result = "finished" | "finished-with-problems" | "failed"

/** The state or outcome of a run: in red, amber or green, and in words. */
export function ResultChip({ state, result }: { readonly state: State; readonly result: Result | null }) {
  const [icon, tone, name] = RESULTS[result ?? state]
  return (
    <Chip icon={icon} tone={tone}>
      {name}
    </Chip>
  )
}

const RESULTS = {
  "finished-with-problems": ["alert", "warn", "Problems"],
  failed: ["close", "bad", "Failed"],
  finished: ["check", "good", "Finished"],
  running: ["play", "accent", "Running"],
  paused: ["pause", undefined, "Paused"],
  queued: ["clock", undefined, "Queued"],
  cancelled: ["stop", undefined, "Cancelled"],
} as const

/** Whether a run is still going. */
export const isOpen = (state: State): boolean =>
  state === "queued" || state === "running" || state === "paused"

/** A section of a screen, under a heading. */
export const Block = ({
  id,
  title,
  children,
}: {
  /** Id of the heading. */
  readonly id: string
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="block" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

/** A form that is validated by the appliance or the screen, not by the browser. */
export const Form = ({
  form,
  class: look,
  onSubmit,
  children,
}: {
  readonly form?: RefObject<HTMLFormElement | null>
  readonly class: string
  readonly onSubmit: () => void
  readonly children: ComponentChildren
}) => (
  <form
    {...(form !== undefined && { ref: form })}
    class={look}
    noValidate
    autocomplete="off"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

/** One fact in a list: its name and value. */
export const Fact = ({
  name,
  wide = false,
  children,
}: {
  readonly name: string
  readonly wide?: boolean
  readonly children: ComponentChildren
}) => (
  <div class={wide ? "wide" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** A key figure: its name, its value, and a note on it. */
export const Tile = ({
  name,
  value,
  children,
}: {
  readonly name: ComponentChildren
  readonly value: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd class="small">{children}</dd>
  </div>
)

/** A time relative to now, with the exact time as its tooltip. */
export const Time = ({
  at,
  class: look,
  children = since(at),
}: {
  readonly at: string
  readonly class?: string
  readonly children?: ComponentChildren
}) => (
  <time class={look} dateTime={at} title={atTime(at)}>
    {children}
  </time>
)
