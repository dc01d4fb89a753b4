import { headerSecret } from "#base/settings.ts"

/** Settings for SearXNG's API. */
export const searxngSettings = {
  searxngKey: headerSecret({
    name: "FOSSICK_SEARXNG_KEY",
    default: "",
    about:
      "API key for requests to `/searxng/search` that have none, since many SearXNG clients can't send one: anyone who can reach the port sees what this key may see. If empty, requests need a key of their own.",
  }),
}
