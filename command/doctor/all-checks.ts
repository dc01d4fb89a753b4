import { chatModelCheck } from "./chat-model-check.ts"
import type { Check } from "./check.ts"
import { clockCheck, diskCheck, folderCheck, restoreCheck } from "./folder-checks.ts"
import {
  browserCheck,
  engineCheck,
  modelCheck,
  nodeCheck,
  portCheck,
  rerankerCheck,
  statementRerankerCheck,
} from "./service-checks.ts"
import { readableSettings, settingsCheck, sourcesCheck } from "./settings-checks.ts"
import { alertsCheck, backupsCheck, locksCheck, stateCheck, webhooksCheck } from "./state-checks.ts"

/** What `fossick doctor` looks at, in this order. A further check is one more line here. */
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
      statementRerankerCheck,
      chatModelCheck,
      browserCheck,
      engineCheck,
      webhooksCheck,
      alertsCheck,
      backupsCheck,
    ].map((of) => of(settings)),
  ]
}
