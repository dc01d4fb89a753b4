import { alertsCheck } from "./alerts-check.ts"
import { backupsCheck } from "./backups-check.ts"
import { chatModelCheck } from "./chat-model-check.ts"
import type { Check } from "./check.ts"
import { clockCheck } from "./clock-check.ts"
import { diskCheck, folderCheck, restoreCheck } from "./folder-checks.ts"
import { modelCheck, rerankerCheck, unitReaderCheck } from "./model-checks.ts"
import { browserCheck, engineCheck, nodeCheck, portCheck } from "./service-checks.ts"
import { readableSettings, settingsCheck, sourcesCheck } from "./settings-checks.ts"
import { locksCheck, stateCheck } from "./state-checks.ts"
import { webhooksCheck } from "./webhooks-check.ts"

/** The checks of `fossick doctor`, in this order. To add a check, add a line here. */
export function allChecks(): Check[] {
  const settings = readableSettings()
  return [
    nodeCheck,
    settingsCheck,
    ...[folderCheck, diskCheck, clockCheck, restoreCheck, stateCheck, locksCheck].map((of) => of(settings)),
    ...[
      sourcesCheck,
      portCheck,
      modelCheck,
      rerankerCheck,
      unitReaderCheck,
      chatModelCheck,
      browserCheck,
      engineCheck,
      webhooksCheck,
      alertsCheck,
      backupsCheck,
    ].map((of) => of(settings)),
  ]
}
