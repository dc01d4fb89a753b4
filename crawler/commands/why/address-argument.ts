import { type PageUrl, toPageUrl } from "#engine"
import { ArgumentsError } from "#base/command-arguments.ts"

/** The address a command is about. @throws ArgumentsError */
export function addressArgument(address: string): PageUrl {
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} isn't an http or https address`)
  return url
}
