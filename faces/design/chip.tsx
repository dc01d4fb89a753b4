import type { ComponentChildren } from "preact"

import { Icon, type IconName } from "./icons.tsx"

/** A fact in a word or two. `tone` says whether it is good news. */
export function Chip({
  tone,
  icon,
  title,
  children,
}: {
  readonly tone?: "good" | "warn" | "bad" | "accent" | undefined
  readonly icon?: IconName | undefined
  readonly title?: string
  readonly children: ComponentChildren
}) {
  return (
    <span class={tone === undefined ? "chip" : `chip ${tone}`} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
