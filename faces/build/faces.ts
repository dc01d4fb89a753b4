/** The contents of the head of a face's page. */
export interface PageHead {
  readonly title: string
  readonly description: string
  /** Whether browsers may offer the page as a search engine (OpenSearch). */
  readonly isSearchEngine?: boolean
}

/** One face: a bundle of scripts and one of styles, and the page that loads them. Paths in `faces/`. */
export interface Face {
  readonly name: string
  readonly entry: string
  /** Style sheets, in cascade order. */
  readonly styles: readonly string[]
  /** Omitted for faces used on other people's pages: those load a single classic script that also contains the styles. */
  readonly page?: PageHead
  /** Maximum size of the script in kilobytes, as sent. */
  readonly mostKilobytes: number
}

const DESIGN = ["design/tokens.css", "design/base.css", "design/components.css", "session/session.css"]

/** All faces. To add one, add a line here. */
export const FACES: readonly Face[] = [
  {
    name: "search",
    entry: "search/main.tsx",
    styles: [...DESIGN, "reading/reading.css", "search/search.css", "search/results/results.css"],
    page: {
      title: "Fossick",
      description: "Search the pages of this appliance.",
      isSearchEngine: true,
    },
    mostKilobytes: 60,
  },
  {
    name: "console",
    entry: "console/main.tsx",
    styles: [
      ...DESIGN,
      "reading/reading.css",
      "console/console.css",
      "console/run/run.css",
      "console/overview/charts.css",
      "console/vectors/vectors.css",
      "console/upkeep/upkeep.css",
      "console/people/people.css",
      "console/readers/readers.css",
      "console/networks/networks.css",
      "console/playground/playground.css",
      "console/sources/wanted.css",
      "console/add-source/add-source.css",
      "console/first-run/first-run.css",
      "console/rules/rules.css",
      "design/chart.css",
      "console/quality/quality.css",
      "console/keys/keys.css",
      "console/page/page.css",
    ],
    page: { title: "Console · Fossick", description: "Run this appliance." },
    mostKilobytes: 150,
  },
  {
    name: "widget",
    entry: "widget/main.tsx",
    styles: ["design/tokens.css", "widget/widget.css"],
    mostKilobytes: 25,
  },
]
