import { headerSecret, integer } from "#base/settings.ts"

/** Settings for people who search in a browser. */
export const sessionSettings = {
  sessionHours: integer(
    {
      name: "FOSSICK_SESSION_HOURS",
      default: "168",
      about:
        "Hours after which people who signed in on a page of the appliance must sign in again; disabling their key ends the session at once.",
    },
    1,
    8760,
  ),
  openKey: headerSecret({
    name: "FOSSICK_OPEN_KEY",
    default: "",
    about:
      "An API key with the role search for people who open the search page without signing in: anyone who can reach the port sees what this key may see; empty means that everyone must sign in.",
  }),
}
