/** Removals by how far they are: waiting for a yes, struck without enough evidence, out of the index. */
export const REMOVALS_SHOWN = ["held", "struck", "removed"] as const

export type RemovalsShown = (typeof REMOVALS_SHOWN)[number]

/** Where in the console somebody is; all of it is in the address. */
export type Place =
  | { readonly view: "overview" | "sources" }
  | { readonly view: "runs"; readonly source: string | null }
  | { readonly view: "run"; readonly job: number; readonly outcome: string | null }
  | { readonly view: "add-source"; readonly url: string | null }
  | { readonly view: "source"; readonly source: string }
  | { readonly view: "page"; readonly url: string | null; readonly query: string | null }
  | { readonly view: "first-run"; readonly source: string | null }
  | { readonly view: "removals"; readonly shown: RemovalsShown; readonly source: string | null }

/** What the query of an address means; the overview where it means nothing. */
export function placeOf(search: string): Place {
  const given = new URLSearchParams(search)
  const source = given.get("source")
  switch (given.get("view")) {
    case "sources":
      return { view: "sources" }
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
