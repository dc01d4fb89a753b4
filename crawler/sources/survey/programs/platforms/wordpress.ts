import { generatorVersion, marksOn, type Program } from "../program.ts"

export const wordpress: Program = {
  name: "WordPress",
  recipe: "other-programs",
  evidence: (look) =>
    marksOn(look, [
      { where: "generator", fits: /^WordPress\b/, says: "the page names WordPress as its generator" },
      { where: "asset", fits: /\/wp-(?:content|includes)\//, says: "its styles come from wp-content" },
    ]),
  version: generatorVersion(/^WordPress ([\d.]+)/),
  advise: () => ({
    exclude: [
      "re:[?&](?:replytocom|s|share|add-to-cart|orderby|preview|p)=",
      "/**/wp-{admin,json,login}*",
      "/**/wp-{admin,json}/**",
      "/**/feed/**",
      "/**/{author,tag}/**",
      "/xmlrpc.php",
    ],
    sendsText: true,
    notes: ["Author and tag pages are left out, because they repeat the articles."],
  }),
}
