import { marksOn, noVersion, type Program } from "./program.ts"

/** An application that scripts make, of whatever framework; the look finds out whether it needs a browser. */
export const scriptApp: Program = {
  name: "JavaScript application",
  recipe: "a-react-app",
  evidence: (look) =>
    marksOn(look, [
      {
        where: "markup",
        fits: /\bid=["']?__next\b|__NEXT_DATA__|\/_next\/static\//,
        says: "the marks of Next.js",
      },
      { where: "markup", fits: /\bid=["']?__nuxt\b/, says: "the marks of Nuxt" },
      { where: "markup", fits: /\sng-version=|<app-root\b/, says: "the marks of Angular" },
      { where: "markup", fits: /\sdata-v-app\b/, says: "the marks of Vue" },
      { where: "markup", fits: /\sdata-reactroot\b/, says: "the marks of React" },
      {
        where: "markup",
        fits: /<(?:div|main)\s[^>]*\bid=["']?(?:root|app)["']?[^>]*>\s*<\/(?:div|main)>/,
        says: "an empty element that scripts fill",
      },
    ]),
  version: noVersion,
  advise: () => ({}),
}
