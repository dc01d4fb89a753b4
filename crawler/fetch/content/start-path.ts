import { resolve } from "node:path"

/** The absolute path if a start given to `fossick sources add` is a path; otherwise `null`. A bare name is a host. */
export const pathOf = (start: string): string | null =>
  /^(?:[./\\]|[a-z]:[/\\])/i.test(start) ? resolve(start) : null
