import type { ComponentChildren } from "preact"

import { safeLink } from "./safe-link.ts"

/**
 * A link to an untrusted page. The site doesn't learn where its reader comes from, and an address that is neither web
 * nor mail is not made a link.
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
  /** Opens beside this page. */
  readonly isApart?: boolean
  /** One of the elements that arrow keys move through. */
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
