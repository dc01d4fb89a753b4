import { logSettings } from "#base/telemetry/log/log-settings.ts"
import { isStrong, STRONG } from "#base/secret.ts"
import { headerSecret, integer, onOff, type Setting, SettingsError, text } from "#base/settings.ts"

import { accountSettings } from "./identity/accounts/settings.ts"
import { chatModelSettings, checkChatModel } from "./services/chat-models/settings.ts"
import { features, settingsOf } from "./features.ts"
import { federationSettings } from "./services/federation/settings.ts"
import { loadSettings } from "./server/load/settings.ts"
import { serviceSettings } from "./service-settings.ts"

const port: Setting<number> = integer(
  { name: "FOSSICK_PORT", default: "8080", about: "Port that the appliance listens on." },
  0,
  65_535,
)

const apiKeyText = headerSecret({
  name: "FOSSICK_API_KEY",
  default: "",
  about:
    "An API key that you choose, valid while it is set here: at least 16 characters that are hard to guess. If this is empty and there is no key yet, the first start creates one and shows it once.",
})

const apiKey: Setting<string> = {
  ...apiKeyText,
  parse(value) {
    const key = apiKeyText.parse(value)
    if (key !== "" && !isStrong(key)) throw new Error(`${STRONG}, as does fossick keys create`)
    return key
  },
}

const publicUrl: Setting<string> = {
  name: "FOSSICK_PUBLIC_URL",
  default: "",
  // The value isn't shown, because a wrong one may contain a password.
  secret: true,
  about:
    "Address at which users reach the appliance, without a trailing slash; empty means `http://localhost:` and the port, or the address in FOSSICK_HOST.",
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
      throw new Error("must be an http or https address")
    }
    if (url.username !== "" || url.password !== "") {
      throw new Error("must be an address without a user name or password")
    }
    return value.replace(/\/+$/, "")
  },
}

/** Settings for the API. */
export const apiSettings = {
  port,
  host: text({
    name: "FOSSICK_HOST",
    default: "127.0.0.1",
    about: "Network address to listen on; `0.0.0.0` means every network interface of the machine.",
  }),
  publicUrl,
  apiKey,
  bodyKey: onOff({
    name: "FOSSICK_BODY_KEY",
    default: "on",
    about:
      "Whether a key in the field `api_key` of the body is accepted when the Authorization header is missing.",
  }),
  bodyLimit: integer(
    {
      name: "FOSSICK_BODY_LIMIT",
      default: "262144",
      about: "Largest request body in bytes, measured after decompression.",
    },
    1024,
    64 * 1024 * 1024,
  ),
  ...logSettings,
  maxResults: integer(
    {
      name: "FOSSICK_MAX_RESULTS",
      default: "5",
      about: "Number of results for a search without `max_results`.",
    },
    1,
    50,
  ),
  maxAutoResults: integer(
    {
      name: "FOSSICK_MAX_AUTO_RESULTS",
      default: "20",
      about:
        "Maximum number of results for a search with `max_results` set to `auto`, which cuts where the scores drop.",
    },
    1,
    50,
  ),
  includeDomainsCap: integer(
    {
      name: "FOSSICK_INCLUDE_DOMAINS_CAP",
      default: "300",
      about: "Maximum number of entries in `include_domains` for a search.",
    },
    1,
    10_000,
  ),
  excludeDomainsCap: integer(
    {
      name: "FOSSICK_EXCLUDE_DOMAINS_CAP",
      default: "150",
      about: "Maximum number of entries in `exclude_domains` for a search.",
    },
    1,
    10_000,
  ),
  liveReads: integer(
    {
      name: "FOSSICK_LIVE_READS",
      default: "10",
      about:
        "Pages that all calls and crawl jobs together may read live at the same time; a quarter, rounded down, is reserved for keys that aren't reading any.",
    },
    1,
    256,
  ),
  liveMemoryMb: integer(
    {
      name: "FOSSICK_LIVE_MEMORY_MB",
      default: "256",
      about:
        "Memory, in megabytes, for the pages of all running extract, crawl and map calls together; when it is used up, calls get 503.",
    },
    16,
    64_000,
  ),
  callMemoryMb: integer(
    {
      name: "FOSSICK_CALL_MEMORY_MB",
      default: "64",
      about:
        "Memory, in megabytes, for the pages of one extract, crawl or map call, at four bytes a character; a call that uses it up ends with what it has.",
    },
    16,
    64_000,
  ),
  shutdownSeconds: integer(
    {
      name: "FOSSICK_SHUTDOWN_SECONDS",
      default: "10",
      about: "Seconds that running requests are given to finish when the appliance stops.",
    },
    0,
    300,
  ),
  ...serviceSettings,
  ...loadSettings,
  ...chatModelSettings,
  readsUnits: onOff({
    name: "FOSSICK_UNIT_READER",
    default: "on",
    about:
      "Whether the unit reader, a small model that ships with Fossick, judges the pieces of pages for answers and reports when the question and the pages are in English. It finds the right piece more often, but takes some 110 MB of memory and half a second of processor time per answer.",
  }),
  ...accountSettings,
  ...federationSettings,
  ...settingsOf(features),
}

/** @throws SettingsError if settings that need each other are not all set. */
export function checkTogether({
  llmUrl,
  llmModel,
  planCredits = 0,
  paygoCredits = 0,
}: {
  readonly llmUrl: string
  readonly llmModel: string
  readonly planCredits?: number
  readonly paygoCredits?: number
}): void {
  if (paygoCredits > 0 && planCredits === 0) {
    throw new SettingsError(["FOSSICK_PLAN_CREDITS must be set together with FOSSICK_PAYGO_CREDITS"])
  }
  checkChatModel({ llmUrl, llmModel })
}
