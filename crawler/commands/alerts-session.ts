import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { interruptible } from "#engine/lifecycle/move/interruptible.ts"
import { engineSettings } from "#engine/settings.ts"
import { CHANNELS } from "../reporting/alerts/channels/registry.ts"
import { NO_RECEIVERS, testAlerts, type TestedReceiver } from "../reporting/alerts/try-receivers.ts"
import { crawlerSettings, userAgentHeader } from "../settings.ts"
import { say } from "./sources/sources-text.ts"

/** `fossick alerts test`. @returns the exit code. @throws SettingsError, CommandError when there are no receivers */
export async function testAlertsNow(json: boolean): Promise<number> {
  const env = environment()
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, env)
  return await interruptible(
    async (signal) => {
      const tested = await testAlerts({ config, userAgent: userAgentHeader(config), env, signal })
      signal.throwIfAborted()
      if (tested.length === 0) throw new CommandError(`${NO_RECEIVERS} (docs/notifications.md#alerts)`)
      for (const one of tested) say(json ? JSON.stringify(onWire(one)) : lineOf(one))
      return tested.every(({ error }) => error === null) ? EXIT.ok : EXIT.failed
    },
    () => process.stderr.write("Stopped.\n"),
  )
}

const onWire = ({ by, to, error, reason }: TestedReceiver) => ({ by, to, error: reason ?? error })

const lineOf = ({ by, to, error, reason }: TestedReceiver): string =>
  `${CHANNELS.find(({ name }) => name === by)!.called.way} to ${to}: ${error === null ? "sent" : `not sent: ${reason ?? error}`}`
