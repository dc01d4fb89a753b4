import { KnownError } from "#base/errors.ts"
import { tlsOf } from "../../fetch/connect/source-tls.ts"
import { AllowedNetworks, isPrivateByName } from "../../fetch/guard/allowed-networks.ts"
import { missingSecrets } from "../../fetch/secrets.ts"
import type { Source, SourceSpec } from "../../source.ts"
import type { SourceProblem } from "./source-problem.ts"

/** Where a source will run. */
export interface Surroundings {
  /** The environment, with the settings file as a fallback, in which named secrets are looked up; `null` if it isn't known here. */
  readonly env: NodeJS.ProcessEnv | null
  /** The value of `FOSSICK_WEBHOOK_NETWORKS`. */
  readonly webhookNetworks: readonly string[]
}

/**
 * Why a source cannot work here: missing secrets, and webhooks whose address is itself private. Names are not resolved;
 * each delivery checks the resolved addresses.
 */
export function workProblems(spec: SourceSpec, { env, webhookNetworks }: Surroundings): SourceProblem[] {
  const open = new AllowedNetworks(webhookNetworks)
  const isClosed = (url: URL | null) => url !== null && isPrivateByName(url) && !open.name(url)
  const webhooks = (spec.webhooks ?? []).flatMap(({ url }, index): SourceProblem[] =>
    isClosed(URL.parse(url))
      ? [
          {
            path: ["webhooks", index, "url"],
            message: "must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
          },
        ]
      : [],
  )
  const named = {
    login: spec.login,
    observers: spec.observers?.map(({ login }) => ({ login })),
    repository: { token: spec.repository?.token },
    mailbox: typeof spec.mailbox === "object" && { password: spec.mailbox?.password },
    webhooks: spec.webhooks?.map(({ secret }) => ({ secret })),
  }
  return [
    ...webhooks,
    ...(env === null ? [] : [...missingSecrets(named, env), ...certificateProblems(spec, env)]),
  ]
}

/** Certificate files and secrets that can't be used; the contents are checked only once all of them exist. */
function certificateProblems(
  { caFile = null, clientCert = null }: SourceSpec,
  env: NodeJS.ProcessEnv,
): SourceProblem[] {
  const missing = missingSecrets({ clientCert }, env)
  const shown = missing.length > 0 || clientCert === null ? null : { ...NO_PASSPHRASE, ...clientCert }
  return [
    ...unusable({ caFile, clientCert: null }, env),
    ...missing.map(({ path, message }) => ({ path: [...path], message })),
    ...unusable({ caFile: null, clientCert: shown }, env),
  ]
}

function unusable(part: Pick<Source, "caFile" | "clientCert">, env: NodeJS.ProcessEnv): SourceProblem[] {
  try {
    tlsOf({ seeds: [], login: null, ...part }, env)
    return []
  } catch (error) {
    if (!(error instanceof KnownError)) throw error
    const [, field = "clientCert", why = error.message] = /^([\w.]+): (.*)$/s.exec(error.message) ?? []
    return [{ path: field.split("."), message: `cannot be used: ${why}` }]
  }
}

const NO_PASSPHRASE = { passphrase: null }
