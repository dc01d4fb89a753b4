import type { ButtonHTMLAttributes, ComponentChildren } from "preact"

import { Icon, type IconName } from "./icons.tsx"

export interface ButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "label" | "type" | "class"> {
  /** `primary`: the main action on a screen. `danger`: an action that can't be undone. */
  readonly look?: "plain" | "primary" | "quiet" | "danger"
  readonly icon?: IconName
  /** The button's label when it shows only its icon. */
  readonly label?: string
  readonly type?: "button" | "submit"
  readonly class?: string
  readonly children?: ComponentChildren
}

export function Button({ look = "plain", icon, label, children, type = "button", ...rest }: ButtonProps) {
  const names = ["button", look === "plain" ? "" : look, children === undefined ? "bare" : ""]
  return (
    <button
      {...rest}
      type={type}
      class={[...names, rest.class ?? ""].filter(Boolean).join(" ")}
      aria-label={label}
      title={children === undefined ? label : rest.title}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
