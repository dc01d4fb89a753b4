/** Removals by how far they are: waiting for a yes, struck without enough evidence, out of the index. */
export const REMOVALS_SHOWN = ["held", "struck", "removed"] as const

export type RemovalsShown = (typeof REMOVALS_SHOWN)[number]

/** What keeps the appliance going. */
export const UPKEEP_SHOWN = ["backups", "webhooks", "payments", "changes", "connections", "settings"] as const

export type UpkeepShown = (typeof UPKEEP_SHOWN)[number]

/** Of search quality. */
export const QUALITY_SHOWN = ["queries", "feedback", "judged", "runs"] as const

export type QualityShown = (typeof QUALITY_SHOWN)[number]

/** Reports of the questions that were asked. */
export const REPORTS = ["zero", "low", "top", "slow"] as const

export type Report = (typeof REPORTS)[number]

export const RULE_KINDS = ["synonym", "pin", "boost"] as const

export type RuleKind = (typeof RULE_KINDS)[number]

/** Where in the console somebody is; all of it is in the address. */
export type Place =
  | { readonly view: "overview" | "sources" | "vectors" | "playground" }
  | { readonly view: "upkeep"; readonly shown: UpkeepShown }
  | { readonly view: "runs"; readonly source: string | null }
  | { readonly view: "run"; readonly job: number; readonly outcome: string | null }
  | { readonly view: "add-source"; readonly url: string | null }
  | { readonly view: "source"; readonly source: string }
  | { readonly view: "page"; readonly url: string | null; readonly query: string | null }
  | { readonly view: "first-run"; readonly source: string | null }
  | { readonly view: "removals"; readonly shown: RemovalsShown; readonly source: string | null }
  | { readonly view: "quality"; readonly shown: QualityShown; readonly report: Report }
  | { readonly view: "question"; readonly question: string }
  | { readonly view: "judged-run"; readonly run: number; readonly against: number | null }
  | { readonly view: "rules" }
  | {
      readonly view: "rule"
      /** Null: a new one, of a kind, for a question, with a page. */
      readonly id: string | null
      readonly kind: RuleKind
      readonly question: string | null
      readonly url: string | null
    }
  | { readonly view: "keys"; readonly key: string | null }

/** What the query of an address means; the overview where it means nothing. */
export function placeOf(search: string): Place {
  const given = new URLSearchParams(search)
  const source = given.get("source")
  switch (given.get("view")) {
    case "sources":
      return { view: "sources" }
    case "vectors":
      return { view: "vectors" }
    case "playground":
      return { view: "playground" }
    case "upkeep":
      return {
        view: "upkeep",
        shown: UPKEEP_SHOWN.find((one) => one === given.get("shown")) ?? "backups",
      }
    case "runs":
      return { view: "runs", source }
    case "run": {
      const job = Number(given.get("job"))
      if (!Number.isSafeInteger(job) || job < 1) return { view: "runs", source: null }
      return { view: "run", job, outcome: given.get("outcome") }
    }
    case "add-source":
      return { view: "add-source", url: given.get("url") }
    case "source":
      return source === null ? { view: "sources" } : { view: "source", source }
    case "page":
      return { view: "page", url: given.get("url"), query: given.get("query") }
    case "first-run":
      return { view: "first-run", source }
    case "removals": {
      const shown = REMOVALS_SHOWN.find((one) => one === given.get("shown")) ?? "held"
      return { view: "removals", shown, source }
    }
    case "quality":
      return {
        view: "quality",
        shown: QUALITY_SHOWN.find((one) => one === given.get("shown")) ?? "queries",
        report: REPORTS.find((one) => one === given.get("report")) ?? "zero",
      }
    case "question": {
      const question = given.get("question") ?? ""
      if (question.trim() === "") return { view: "quality", shown: "queries", report: "zero" }
      return { view: "question", question }
    }
    case "judged-run": {
      const [run, against] = [Number(given.get("run")), Number(given.get("against"))]
      if (!Number.isSafeInteger(run) || run < 1) return { view: "quality", shown: "runs", report: "zero" }
      return {
        view: "judged-run",
        run,
        against: Number.isSafeInteger(against) && against > 0 ? against : null,
      }
    }
    case "rules":
      return { view: "rules" }
    case "rule": {
      const kind = RULE_KINDS.find((one) => one === given.get("kind")) ?? "synonym"
      return {
        view: "rule",
        id: given.get("id"),
        kind,
        question: given.get("question"),
        url: given.get("url"),
      }
    }
    case "keys":
      return { view: "keys", key: given.get("key") }
    default:
      return { view: "overview" }
  }
}

/** The address of a place, relative to the appliance. */
export function hrefOf(place: Place): string {
  if (place.view === "overview") return "console"
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(place)) if (value !== null) given.set(name, String(value))
  return `console?${given.toString()}`
}
