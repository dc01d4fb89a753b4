const DNS_CODES = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  "ENODATA",
  "ESERVFAIL",
])

/** Whether a name could not be resolved. */
export const isUnknownName = (error: Error): boolean => DNS_CODES.has(codeOf(error))

/** The system's error code, such as `ECONNREFUSED`; empty if the error has none. */
export function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0])
  return code ?? ""
}
