import { resolve } from "node:path"

/** The absolute path that a start of `fossick sources add` is; null: it is none. A bare name is a host. */
export const pathOf = (start: string): string | null =>
  /^(?:[./\\]|[a-z]:[/\\])/i.test(start) ? resolve(start) : null
