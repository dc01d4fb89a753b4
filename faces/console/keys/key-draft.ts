import { appliance } from "../../session/appliance.ts"
import { linesOf } from "../words.ts"
import type { Made } from "./made-key.tsx"

export type KeyKind = "search" | "service" | "write" | "operator" | "admin" | "public"

export const LASTING = [
  { value: "", label: "Until it is disabled" },
  { value: "1", label: "A day" },
  { value: "30", label: "30 days" },
  { value: "365", label: "A year" },
] as const

const DAY_MS = 86_400_000

/** A new key, as described in its form. */
export interface KeyDraft {
  readonly kind: KeyKind
  readonly name: string
  /** The sources and collections that a search key sees, and the sources that a writing key fills; all sources if both are empty. */
  readonly sources: readonly string[]
  readonly collections: readonly string[]
  /** Users and groups that a search key reads as, one per line. */
  readonly principals: string
  /** The source that a public key searches. */
  readonly source: string
  /** Origins of web pages, separated by spaces or commas. */
  readonly origins: string
  readonly answers: boolean
  readonly days: (typeof LASTING)[number]["value"]
  readonly credits: string
  readonly rate_limits: string
}

export const newKeyDraft = (sources: readonly string[]): KeyDraft => ({
  kind: "search",
  name: "",
  sources: [],
  collections: [],
  principals: "",
  source: sources[0] ?? "",
  origins: "",
  answers: false,
  days: "",
  credits: "",
  rate_limits: "",
})

/** Requests the new key from the appliance. */
export async function makeKey(draft: KeyDraft): Promise<Made> {
  const { kind, sources, collections, source, origins, answers, days, credits, rate_limits: rates } = draft
  const limits = {
    name: draft.name.trim(),
    ...(credits.trim() !== "" && { credits: Number(credits) }),
    ...(rates.trim() !== "" && { rate_limits: rates.trim() }),
  }
  if (kind === "public") {
    const listed = origins.split(/[\s,]+/).filter((one) => one !== "")
    const body = { ...limits, source, origins: listed, answers }
    const { key } = await appliance.call("POST /admin/public-keys", { body })
    return { name: limits.name, key, secret: null, isPublic: true }
  }
  const readers = linesOf(draft.principals)
  const searches = kind === "search" || kind === "service"
  const body = {
    ...limits,
    role: kind === "service" ? "search" : kind,
    ...(kind === "service" && { acts_for_people: "tokens" as const }),
    ...(days !== "" && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    ...((searches || kind === "write") && sources.length > 0 && { sources }),
    ...(kind === "search" && readers.length > 0 && { principals: readers }),
    ...(searches && collections.length > 0 && { collections }),
  }
  const { key, signing_secret: secret } = await appliance.call("POST /admin/keys", { body })
  return { name: limits.name, key, secret, isPublic: false }
}
