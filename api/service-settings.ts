import { list, oneOf, type Setting, text } from "#base/settings.ts"

import { checkProxies } from "./server/proxies/trusted-proxies.ts"

/** Settings of the service around the endpoints: which callers are accepted from where, and who may monitor it. */
export const serviceSettings = {
  about: checked(
    text({
      name: "FOSSICK_ABOUT",
      default: "",
      about:
        "What the index contains and what it is good for, in a sentence or two. Models that use it over MCP get this first, and `/sources` returns it.",
    }),
    checkAbout,
  ),
  corsOrigins: checked(
    list({
      name: "FOSSICK_CORS_ORIGINS",
      default: "",
      about:
        "Origins of web pages that may call the API from a browser, such as `https://app.example.com`, separated by commas; `*` allows all, empty none.",
    }),
    checkOrigins,
  ),
  trustedProxies: checked(
    list({
      name: "FOSSICK_TRUSTED_PROXIES",
      default: "",
      about:
        "Addresses or ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted, separated by commas; empty trusts none.",
    }),
    checkProxies,
  ),
  openHosts: checked(
    list({
      name: "FOSSICK_OPEN_HOSTS",
      default: "",
      about:
        "Host names, besides that of FOSSICK_PUBLIC_URL, at which calls without a key are accepted (FOSSICK_OPEN_KEY, FOSSICK_SEARXNG_KEY, FOSSICK_METRICS=open), such as `search.example.com`, separated by commas. IP addresses and names that exist only in a private network, such as `localhost`, `fossick` and `nas.local`, need no entry.",
    }),
    checkHosts,
  ),
  metrics: oneOf(
    {
      name: "FOSSICK_METRICS",
      default: "key",
      about:
        "Who may read `/metrics`: `key` requires a key with the role admin, `open` allows anyone who can reach the port, `off` no one.",
    },
    "key",
    "open",
    "off",
  ),
}

/** Kept short, because models read this text in every conversation. */
const MAX_ABOUT_CHARS = 2000

function checkAbout(about: string): void {
  if (about.length > MAX_ABOUT_CHARS) throw new Error(`must have at most ${MAX_ABOUT_CHARS} characters`)
}

/** Adds a further check to a setting; the check throws an Error that names the expected form. */
function checked<T>(setting: Setting<T>, check: (value: T) => void): Setting<T> {
  return {
    ...setting,
    parse(text) {
      const value = setting.parse(text)
      check(value)
      return value
    },
  }
}

function checkHosts(hosts: readonly string[]): void {
  const isName = (one: string) => /^[\w-]+(\.[\w-]+)*$/.test(one)
  if (!hosts.every(isName)) throw new Error("must be names such as search.example.com, without a port")
}

function checkOrigins(origins: readonly string[]): void {
  const isOrigin = (one: string) => /^https?:/.test(one) && URL.parse(one)?.origin === one
  if (!origins.every((one) => one === "*" || isOrigin(one))) {
    throw new Error("must be origins such as https://app.example.com, without a trailing slash, or *")
  }
}
