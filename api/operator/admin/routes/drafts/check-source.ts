import ipaddr from "ipaddr.js"

import { environment } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { AllowedNetworks, bareHost, isPrivateByName, portOf } from "#crawler/fetch/guard/allowed-networks.ts"
import { type OpenedNetwork, openedTo, OpenPorts } from "#crawler/fetch/guard/opened-networks.ts"
import { secretsNamed } from "#crawler/fetch/secrets.ts"
import { ownHosts, paceSet } from "#crawler/fetch/hosts/manners.ts"
import { CONTENT_FOR_ADMINS, contentFieldsOf, type SourceSpec } from "#crawler/source.ts"
import { readSourceSpec } from "#crawler/sources/source-spec.ts"
import { fieldText, SourceError } from "#crawler/sources/written/source-problem.ts"
import { workProblems } from "#crawler/sources/written/surroundings.ts"

import type { Problem } from "../../../../server/operation/body-check.ts"
import type { AdminParts } from "../../admin-parts.ts"

type Written = Readonly<Record<string, unknown>>

/** A source as the caller specified it, and what is wrong with it. */
export interface CheckedSource {
  /** The source; null if it is invalid. */
  readonly spec: (SourceSpec & { readonly name: string }) | null
  /**
   * One problem per field; empty if the source can be declared over the API. The source as a whole is checked once its
   * values are of the right type.
   */
  readonly problems: readonly Problem[]
  /** The source's private addresses that have not been opened; an admin may open their network. */
  readonly closedAddresses: readonly string[]
  /** Whether a sources file could contain the source, including features that only the API refuses. */
  readonly fitsFile: boolean
}

/** Checks a source as `PUT /admin/sources/{name}` does, which declares the source if there is no problem. */
export async function checkSource(
  written: Written,
  config: AdminParts["crawlerConfig"],
  db: StateStore,
): Promise<CheckedSource> {
  const { apiSecrets, allowedNetworks, webhookNetworks } = config
  const refused = [...hiddenProblems(written), ...secretProblems(written, apiSecrets)]
  let spec: CheckedSource["spec"] = null
  const wrong: Problem[] = []
  try {
    spec = readSourceSpec(written)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    wrong.push(...error.problems.map(({ path, message }) => ({ field: fieldText(path), message })))
  }
  // The error doesn't reveal whether a forbidden secret exists.
  const unfit =
    spec === null || refused.length > 0 ? [] : workProblems(spec, { env: environment(), webhookNetworks })
  const closed = spec === null ? [] : closedAddresses(spec, allowedNetworks, await openedTo(config, db))
  const unopened =
    spec === null ? [] : [...openingProblems(spec, allowedNetworks), ...mannersProblems(spec, config)]
  const all = [
    ...refused,
    ...wrong,
    ...closed.map(({ field }) => ({ field, message: CLOSED })),
    ...unopened,
    ...unfit.map(({ path, message }) => ({ field: fieldText(path), message })),
  ]
  return {
    spec,
    problems: all.filter(({ field }, index) => all.findIndex((other) => other.field === field) === index),
    closedAddresses: closed.map(({ address }) => address),
    fitsFile: spec !== null && hiddenProblems(written).length === 0,
  }
}

/**
 * Anyone with an admin key can choose where a source sends its secrets. So a source may name only secrets that the
 * machine's operator has made available to the API, and no files: otherwise the key could be used to read the whole
 * machine.
 */
function secretProblems(written: Written, open: readonly string[]): Problem[] {
  const { login, observers, webhooks, clientCert, caFile } = written
  const authority =
    caFile === undefined || caFile === null ? [] : [{ field: "caFile", message: NO_AUTHORITY }]
  const content = contentFieldsOf(written)
    .filter((field) => !CONTENT_FOR_ADMINS.includes(field))
    .map((field) => ({ field, message: NO_CONTENT }))
  const secrets = secretsNamed({ login, observers, webhooks, clientCert })
    .filter(({ from }) => !open.some((name) => from === `\${${name}}`))
    .map(({ path, from }) => ({
      field: path.join("."),
      message:
        from === "file:"
          ? "may not name a file over the API; declare the source in the sources file"
          : `may not use ${from} over the API; allow it in FOSSICK_API_SECRETS`,
    }))
  return [...authority, ...content, ...secrets]
}

const NO_AUTHORITY =
  "may not name a file over the API; declare the source in the sources file, or set FOSSICK_CA_FILE to trust an authority everywhere"

const NO_CONTENT = "may not be set over the API; declare the source in the sources file"

const CLOSED =
  "must not be a private address over the API; an admin can allow its network under Add a source, or the operator can allow it in FOSSICK_ALLOWED_NETWORKS"

/**
 * Private addresses that the operator has not opened. Names are not resolved here; each request of a run checks the
 * addresses they resolve to.
 */
function closedAddresses(
  spec: SourceSpec,
  allowedNetworks: readonly string[],
  opened: readonly OpenedNetwork[],
): readonly { readonly field: string; readonly address: string }[] {
  const allowed = new AllowedNetworks(allowedNetworks)
  const ports = new OpenPorts(opened)
  const isOpen = (url: URL): boolean => {
    const host = bareHost(url)
    const addresses = ipaddr.isValid(host) ? [host] : LOOPBACK
    return (
      allowed.name(url) || addresses.some((address) => ports.includes(ipaddr.process(address), portOf(url)))
    )
  }
  const addresses = [
    // Nothing is fetched from addresses reserved for documentation.
    ...(["seeds", "sitemaps", "feeds"] as const)
      .filter((field) => field !== "seeds" || contentFieldsOf(spec).length === 0)
      .flatMap((field) =>
        (spec[field] ?? []).map((address, index) => ({ field: `${field}[${index}]`, address })),
      ),
    ...(spec.login?.kind === "form" ? [{ field: "login.url", address: spec.login.url }] : []),
    ...(spec.observers ?? []).flatMap(({ login }, index) =>
      typeof login === "object" && login.kind === "form"
        ? [{ field: `observers[${index}].login.url`, address: login.url }]
        : [],
    ),
  ]
  return addresses.filter(({ address }) => {
    const url = new URL(address)
    return isPrivateByName(url) && !isOpen(url)
  })
}

/** The addresses behind `localhost`. */
const LOOPBACK = ["127.0.0.1", "::1"]

function openingProblems(spec: SourceSpec, allowedNetworks: readonly string[]): Problem[] {
  return (spec.allowedNetworks ?? []).flatMap((entry, index) =>
    allowedNetworks.includes(entry)
      ? []
      : {
          field: `allowedNetworks[${index}]`,
          message:
            "may not be opened over the API; open it in FOSSICK_ALLOWED_NETWORKS or in the sources file",
        },
  )
}

/**
 * Only the operator, who is responsible, may decide to read pages that a site keeps out of search engines, or to put
 * more load on its server than the settings allow. Runs apply the same rule to stored sources: `sourceBy` and
 * `mannersOf` in the crawler.
 */
function mannersProblems(
  { seeds, sitemaps = [], feeds = [], politeness = {}, ignoreNoindex = false }: SourceSpec,
  config: AdminParts["crawlerConfig"],
): Problem[] {
  const isOwn = ownHosts(config)
  const set = paceSet(
    config,
    [...seeds, ...sitemaps, ...feeds].every((address) => isOwn(new URL(address))),
  )
  const { robots = null, delayMs, concurrency } = politeness
  const problem = (field: string, rule: string): Problem => ({
    field,
    message: `may not be ${rule} over the API; declare the source in the sources file`,
  })
  return [
    ...(ignoreNoindex ? [problem("ignoreNoindex", "set")] : []),
    ...(robots === false && config.robots ? [problem("politeness.robots", "false")] : []),
    ...((delayMs ?? set.delayMs) < set.delayMs
      ? [problem("politeness.delayMs", `less than ${set.delayMs}, the value in the settings,`)]
      : []),
    ...((concurrency ?? set.concurrency) > set.concurrency
      ? [problem("politeness.concurrency", `more than ${set.concurrency}, the value in the settings,`)]
      : []),
  ]
}

/** The placeholder that lists show for a login's values that might be secret. */
const HIDDEN = "(hidden)"

/** Checks that values read here are not written back, because the placeholder would replace the secret that it hides. */
function hiddenProblems({ login = null, observers = null }: Written): Problem[] {
  const message = `has ${HIDDEN} where a value was hidden; write the value, or name a secret`
  return Object.entries({ login, observers })
    .filter(([, value]) => JSON.stringify(value).includes(JSON.stringify(HIDDEN)))
    .map(([field]) => ({ field, message }))
}
