import { headerSecret } from "#base/settings.ts"

/** Settings of SearXNG's API. */
export const searxngSettings = {
  searxngKey: headerSecret({
    name: "FOSSICK_SEARXNG_KEY",
    default: "",
    about:
      "An API key that those have who ask `/searxng/search` without one, since many clients of SearXNG can be given none: anyone who reaches the port sees what this key may see; empty asks for a key.",
  }),
}
