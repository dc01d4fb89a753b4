const REASONS: Readonly<Record<string, string>> = {
  "not-found": "not found",
  gone: "gone for good",
  noindex: "asks not to be indexed",
  robots: "disallowed by robots.txt",
  "out-of-scope": "leads out of the scope",
  moved: "moved",
  "leads-elsewhere": "leads elsewhere",
}

/** Why a page is to leave the index, in words. */
export const reasonOf = (reason: string): string => REASONS[reason] ?? reason.replaceAll("-", " ")
