import { marksOn, noVersion, type Program } from "../program.ts"

export const nextcloud: Program = {
  name: "Nextcloud",
  recipe: "nextcloud-shares",
  evidence: (look) => [
    ...marksOn(look, [
      {
        where: "asset",
        fits: /\/core\/css\/server\.css|\/dist\/core-(?:common|main|login|files_\w+)\.m?js|\/apps\/files_sharing\//,
        says: "its scripts and styles are those of Nextcloud's core",
      },
    ]),
    ...(/app-id=1125420102/.test(look.meta.get("apple-itunes-app") ?? "")
      ? ["the page names Nextcloud's own app"]
      : []),
  ],
  version: noVersion,
  advise: ({ url }) => ({
    exclude: ["re:[?&](?:requesttoken|openfile|dir|redirect_url)=", "/**/{core,dist,avatar}/**"],
    login: "/login",
    notes: [
      /\/s\/\w+/.test(new URL(url).pathname)
        ? "Scripts render the list of a shared folder, and its files aren't links. Share single files, or serve the folder with a web server."
        : "Files of an account aren't pages. Mount them over WebDAV and serve the folder with a web server.",
    ],
  }),
}
