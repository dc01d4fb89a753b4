import { FossickClient, FossickError } from "../../api/client/client.ts"

/** The appliance's address, relative to this page, so it also works behind a proxy that serves it under a path. */
export const BASE = new URL(".", document.baseURI)

/** Calls of this browser's session, which the cookie identifies. */
export const appliance = new FossickClient({ url: BASE })

/** An address of the appliance. */
export const addressOf = (path: string): string => new URL(path, BASE).href

/** The error, in words for people. */
export function inWords(error: unknown): string {
  if (error instanceof FossickError) return error.detail
  return "The appliance cannot be reached. Check that it is running and that you are connected to its network."
}
