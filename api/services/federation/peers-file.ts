import { existsSync, readFileSync } from "node:fs"

import { Ajv, type ErrorObject } from "ajv"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { parseDocument } from "yaml"

import { certificatesIn } from "#base/process/authorities.ts"
import { resolveSecret } from "#base/secret.ts"
import { SettingsError } from "#base/settings.ts"
import { AllowedNetworks } from "#crawler/fetch/guard/allowed-networks.ts"
import { readersProblems } from "#crawler/sources/written/readers-problems.ts"
import { fieldText } from "#crawler/sources/written/source-problem.ts"
import type { WrittenReaders } from "#engine/index/page/readers.ts"

const DEFAULT_FILE = "peers.yaml"
const SCHEMA_FILE = new URL("peers.schema.json", import.meta.url)
/** A prefix that no source's name has, so that keys, collections and rules can refer to peers. */
const PREFIX = "peer/"

/** Another appliance to ask, as its operator declared it. */
export interface PeerSpec {
  readonly name: string
  /** Base address, without a trailing slash. */
  readonly url: string
  /** The key itself, which must never be shown. */
  readonly key: string
  readonly timeoutMs: number
  /** Names of the peer's sources to search; null: all. */
  readonly sources: readonly string[] | null
  readonly networks: readonly string[]
  readonly caFile: string | null
  /** The readers of its pages; null: everyone. */
  readonly readers: WrittenReaders | null
}

/** The name of a peer as a source of this appliance. */
export const sourceOfPeer = (name: string): string => `${PREFIX}${name}`

/** The peer that a source represents; `null` if the source is our own. */
export const peerOfSource = (source: string): string | null =>
  source.startsWith(PREFIX) ? source.slice(PREFIX.length) : null

/**
 * The declared peers; none without a file.
 *
 * @param named path from FOSSICK_PEERS_FILE; if empty, `peers.yaml` in the working directory, if there is one
 * @throws SettingsError naming each wrong field, and never a secret
 */
export function readPeers(named: string, env: NodeJS.ProcessEnv): readonly PeerSpec[] {
  const file = named === "" ? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null) : named
  if (file === null) return []
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new SettingsError([`FOSSICK_PEERS_FILE: cannot read ${file}`])
  }
  return parsePeers(text, file, env)
}

/** Like {@link readPeers}, but for a file's text. @throws SettingsError */
export function parsePeers(text: string, file: string, env: NodeJS.ProcessEnv): readonly PeerSpec[] {
  const document = parseDocument(text)
  const [unreadable] = document.errors
  if (unreadable) throw new SettingsError([`${file}: ${unreadable.message.split("\n")[0]}`])
  return peersOf(document.toJS() ?? { peers: [] }, file, env)
}

type Written = Pick<PeerSpec, "name" | "url" | "key"> & Partial<Omit<PeerSpec, "name" | "url" | "key">>

function peersOf(written: unknown, file: string, env: NodeJS.ProcessEnv): readonly PeerSpec[] {
  const ajv = new Ajv({
    ...OWN_SCHEMA,
    strict: true,
    allErrors: true,
    useDefaults: true,
    strictRequired: false,
  })
  const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA_FILE, "utf8")) as object)
  if (!validate(written)) throw new SettingsError((validate.errors ?? []).map((one) => inWords(one, file)))
  const { peers } = written as { readonly peers: readonly Written[] }
  const problems: string[] = []
  const specs = peers.map((peer, at): PeerSpec => {
    const where = `${file}: peers[${at}]`
    const tried = <T>(field: string, what: () => T): T | undefined => {
      try {
        return what()
      } catch (error) {
        problems.push(`${where}.${field} ${(error as Error).message}`)
        return undefined
      }
    }
    if (peers.findIndex(({ name }) => name === peer.name) !== at) problems.push(`${where}.name is used twice`)
    if (URL.parse(peer.url) === null) problems.push(`${where}.url must be an http or https address`)
    const key = tried("key", () => keyOf(peer.key, env))
    tried("networks", () => new AllowedNetworks(peer.networks ?? []))
    for (const { path, message } of readersProblems(peer.readers ?? {}))
      problems.push(`${where}.${fieldText(["readers", ...path])} ${message}`)
    const { caFile } = peer
    if (caFile) tried("caFile", () => readAuthority(caFile))
    return {
      timeoutMs: 2000,
      sources: null,
      networks: [],
      caFile: null,
      readers: null,
      ...peer,
      url: peer.url.replace(/\/+$/, ""),
      key: key ?? "",
    }
  })
  if (problems.length > 0) throw new SettingsError(problems)
  return specs
}

function keyOf(reference: string, env: NodeJS.ProcessEnv): string {
  const key = resolveSecret(reference, env, "the environment")
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("must name a key of printable ASCII without spaces")
  return key
}

function readAuthority(file: string): void {
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new Error(`cannot be read (${file})`)
  }
  if (certificatesIn(text).length === 0) throw new Error(`holds no certificate (${file})`)
}

function inWords({ keyword, instancePath, params, message }: ErrorObject, file: string): string {
  const where = instancePath
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^\./, "")
  const named = `${file}: ${where === "" ? "the file" : where}`
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>
  if (keyword === "additionalProperties") return `${named} has the unknown field ${additionalProperty}`
  if (keyword === "required") return `${named} lacks ${missingProperty}`
  if (keyword === "pattern" && where.endsWith(".key"))
    return `${named} must name a secret, not contain it: \${NAME} for an environment variable, or file:/path`
  if (keyword === "pattern" && where.endsWith(".url"))
    return `${named} must be an http or https address without user, query or fragment`
  return `${named} ${message ?? "is wrong"}`
}
