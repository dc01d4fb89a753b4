const REASONS: Readonly<Record<string, string>> = {
  "not-found": "not found",
  gone: "gone for good",
  noindex: "marked noindex",
  robots: "disallowed by robots.txt",
  "out-of-scope": "outside the scope",
  moved: "moved",
  "leads-elsewhere": "redirected elsewhere",
}

/** Why a page is to be removed from the index, in words. */
export const reasonOf = (reason: string): string => REASONS[reason] ?? reason.replaceAll("-", " ")
