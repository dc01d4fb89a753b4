import { CommandError } from "#base/run-command.ts"
import { environment, readSettings, SettingsError } from "#base/settings.ts"

import { FossickClient, FossickError } from "../../../client/client.ts"
import { FILES } from "../../../services/files/routes.ts"
import { apiSettings } from "../../../settings.ts"

/** Timeout for an answer; after that, none is expected. */
const PATIENCE_MS = 60_000

/** The options shared by commands that ask a running appliance. */
export interface Asking {
  /** Address of the appliance; by default the one from the settings. */
  readonly url: string | undefined
  readonly json: boolean
}

/**
 * The address and key with which commands reach a running appliance.
 * @param address of the appliance; by default the one from the settings
 * @throws SettingsError
 */
export function applianceAddress(address: string | undefined): {
  readonly url: string
  readonly key: string
} {
  const { apiKey: key, ...settings } = readSettings(apiSettings, environment())
  if (key === "") throw new SettingsError(["FOSSICK_API_KEY must be set to a key of the appliance"])
  const given = address?.replace(/\/+$/, "")
  if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? "")) {
    throw new SettingsError(["--url must be an http or https address"])
  }
  return { url: given ?? ownAddress(settings), key }
}

const ownAddress = ({ publicUrl, port }: { readonly publicUrl: string; readonly port: number }): string =>
  publicUrl || `http://localhost:${port}`

/** The base address for the files in folders. @throws SettingsError */
export const filesAddress = (): string => `${ownAddress(readSettings(apiSettings, environment()))}/${FILES}/`

/** The message when the appliance does not answer. */
export const unreachable = (url: string): string =>
  `The appliance at ${url} cannot be reached. Is it running?`

/**
 * Makes a call to the appliance.
 * @throws CommandError with the appliance's message, or saying that it cannot be reached
 */
export async function asked<T>(
  { url: address }: Asking,
  ask: (client: FossickClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { url, key } = applianceAddress(address)
  try {
    return await ask(new FossickClient({ url, key }), AbortSignal.timeout(PATIENCE_MS))
  } catch (error) {
    if (error instanceof FossickError) throw new CommandError(inWords(error))
    // If the connection fails, the error from fetch() has a cause.
    if (error instanceof TypeError && error.cause !== undefined) throw new CommandError(unreachable(url))
    if (error instanceof DOMException && error.name === "TimeoutError") {
      throw new CommandError(`The appliance at ${url} did not answer in ${PATIENCE_MS / 1000} seconds.`)
    }
    throw error
  }
}

const inWords = ({ detail, problems }: FossickError): string =>
  [detail, ...problems.map((one) => (typeof one === "string" ? one : `  ${one.field}: ${one.message}`))].join(
    "\n",
  )
