import { type PageUrl, toPageUrl } from "#engine"
import { ArgumentsError } from "#base/command-arguments.ts"

/** The one address a command is about. @throws ArgumentsError */
export function addressArgument([address, ...more]: readonly string[]): PageUrl {
  if (address === undefined) throw new ArgumentsError("The address of the page is missing")
  if (more.length > 0) throw new ArgumentsError(`One address at a time: ${more.join(" ")} is too much`)
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} is no http or https address`)
  return url
}
