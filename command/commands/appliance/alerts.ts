import { command, type GroupSpec } from "../../spec.ts"

export const alerts: GroupSpec = {
  about:
    "Tests the receivers of alerts. An alert reports that the last runs of a source, or the backup, failed.",
  commands: {
    test: command({
      about: `Sends one message now to each e-mail recipient, to the ntfy topic and to the webhook in the settings, and shows the results.
Exits with 1 if a receiver did not accept its message.`,
      examples: [{ line: "fossick alerts test", about: "check that alerts arrive before you need them" }],
      run: async ({ json }) =>
        await (await import("#crawler/commands/alerts-session.ts")).testAlertsNow(json),
    }),
  },
}
