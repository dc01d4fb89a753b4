import type { ComponentChildren } from "preact"

import { safeLink } from "./safe-link.ts"

/**
 * A link to an untrusted page. The site doesn't learn which page its reader came from, and an address that is neither a
 * web nor a mail address isn't made a link.
 */
export function PageLink({
  to,
  base = to,
  isApart = false,
  isResult = false,
  children,
}: {
  readonly to: string
  /** Address of the page that contains the link. */
  readonly base?: string
  /** Whether the link opens in a new tab. */
  readonly isApart?: boolean
  /** Whether arrow keys move to the link. */
  readonly isResult?: boolean
  readonly children: ComponentChildren
}) {
  const href = safeLink(to, base)
  if (href === null) return <span>{children}</span>
  return (
    <a
      href={href}
      rel="noreferrer noopener"
      {...(isApart && { target: "_blank" })}
      {...(isResult && { "data-result": "" })}
    >
      {children}
    </a>
  )
}
