import { command, type GroupSpec } from "../../spec.ts"

export const alerts: GroupSpec = {
  about:
    "Tries the receivers of alerts, which tell you when the last runs of a source or the backup went wrong.",
  commands: {
    test: command({
      about: `Sends one message now to each recipient of e-mails, to the topic of ntfy and to the webhook of the settings, and says how it went.
Exits with 1 if a message was not sent.`,
      examples: [{ line: "fossick alerts test", about: "see that alerts arrive before you need them" }],
      run: async ({ json }) =>
        await (await import("#crawler/commands/alerts-session.ts")).testAlertsNow(json),
    }),
  },
}
