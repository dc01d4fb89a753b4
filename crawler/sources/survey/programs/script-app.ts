import { marksOn, noVersion, type Program } from "./program.ts"

/** An application built by scripts, with any framework; the look finds out whether it needs a browser. */
export const scriptApp: Program = {
  name: "JavaScript application",
  recipe: "a-react-app",
  evidence: (look) =>
    marksOn(look, [
      {
        where: "markup",
        fits: /\bid=["']?__next\b|__NEXT_DATA__|\/_next\/static\//,
        says: "it looks like Next.js",
      },
      { where: "markup", fits: /\bid=["']?__nuxt\b/, says: "it looks like Nuxt" },
      { where: "markup", fits: /\sng-version=|<app-root\b/, says: "it looks like Angular" },
      { where: "markup", fits: /\sdata-v-app\b/, says: "it looks like Vue" },
      { where: "markup", fits: /\sdata-reactroot\b/, says: "it looks like React" },
      {
        where: "markup",
        fits: /<(?:div|main)\s[^>]*\bid=["']?(?:root|app)["']?[^>]*>\s*<\/(?:div|main)>/,
        says: "an empty element that scripts fill",
      },
    ]),
  version: noVersion,
  advise: () => ({}),
}
