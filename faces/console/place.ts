/** Removals by stage: waiting for approval, struck without enough evidence, out of the index. */
export const REMOVALS_SHOWN = ["held", "struck", "removed"] as const

export type RemovalsShown = (typeof REMOVALS_SHOWN)[number]

/** The screens for running the appliance. */
export const UPKEEP_SHOWN = ["backups", "webhooks", "payments", "changes", "connections", "settings"] as const

export type UpkeepShown = (typeof UPKEEP_SHOWN)[number]

/** Screens about search quality. */
export const QUALITY_SHOWN = ["queries", "feedback", "judged", "runs"] as const

export type QualityShown = (typeof QUALITY_SHOWN)[number]

/** Reports on the questions that were asked. */
export const REPORTS = ["zero", "low", "top", "slow"] as const

export type Report = (typeof REPORTS)[number]

export const RULE_KINDS = ["synonym", "pin", "boost"] as const

export type RuleKind = (typeof RULE_KINDS)[number]

/** Screens about people. */
export const PEOPLE_SHOWN = ["people", "groups", "matrix"] as const

export type PeopleShown = (typeof PEOPLE_SHOWN)[number]

/** The user's place in the console; the address contains all of it. */
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
      /** Null for a new rule, which starts from the kind, question and page below. */
      readonly id: string | null
      readonly kind: RuleKind
      readonly question: string | null
      readonly url: string | null
    }
  | { readonly view: "keys"; readonly key: string | null }
  | { readonly view: "people"; readonly shown: PeopleShown; readonly group: string | null }
  /** One person, or principals such as a group. */
  | { readonly view: "person"; readonly person: string; readonly as: null }
  | { readonly view: "person"; readonly person: null; readonly as: string }
  | { readonly view: "readers"; readonly url: string | null; readonly who: string | null }

/** The place that an address's query describes; the overview if the query isn't valid. */
export function placeOf(search: string): Place {
  const given = new URLSearchParams(search)
  const text = (name: string) => given.get(name)
  /** A number of at least 1; otherwise null. */
  const number = (name: string) => {
    const value = Number(text(name))
    return Number.isSafeInteger(value) && value > 0 ? value : null
  }
  /** The value if it is in the list; otherwise the first entry. */
  const one = <Value extends string>(name: string, all: readonly [Value, ...Value[]]): Value =>
    all.find((value) => value === text(name)) ?? all[0]
  const source = text("source")
  const view = text("view")
  switch (view) {
    case "sources":
    case "vectors":
    case "playground":
    case "rules":
      return { view }
    case "upkeep":
      return { view, shown: one("shown", UPKEEP_SHOWN) }
    case "runs":
    case "first-run":
      return { view, source }
    case "run": {
      const job = number("job")
      return job === null ? { view: "runs", source: null } : { view, job, outcome: text("outcome") }
    }
    case "add-source":
      return { view, url: text("url") }
    case "source":
      return source === null ? { view: "sources" } : { view, source }
    case "page":
      return { view, url: text("url"), query: text("query") }
    case "removals":
      return { view, shown: one("shown", REMOVALS_SHOWN), source }
    case "quality":
      return { view, shown: one("shown", QUALITY_SHOWN), report: one("report", REPORTS) }
    case "question": {
      const question = text("question") ?? ""
      if (question.trim() === "") return { view: "quality", shown: "queries", report: "zero" }
      return { view, question }
    }
    case "judged-run": {
      const run = number("run")
      if (run === null) return { view: "quality", shown: "runs", report: "zero" }
      return { view, run, against: number("against") }
    }
    case "rule": {
      const kind = one("kind", RULE_KINDS)
      return { view, id: text("id"), kind, question: text("question"), url: text("url") }
    }
    case "people":
      return { view, shown: one("shown", PEOPLE_SHOWN), group: text("group") }
    case "person": {
      const [person, as] = [text("person"), text("as")]
      if (person !== null) return { view, person, as: null }
      return as === null ? { view: "people", shown: "people", group: null } : { view, person, as }
    }
    case "readers":
      return { view, url: text("url"), who: text("who") }
    case "keys":
      return { view, key: text("key") }
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
