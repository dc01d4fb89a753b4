import { generatorVersion, marksOn, type Program } from "../program.ts"

export const sharepoint: Program = {
  name: "SharePoint",
  recipe: "sharepoint-exports",
  evidence: (look) =>
    marksOn(look, [
      {
        where: "generator",
        fits: /Microsoft SharePoint/i,
        says: "the page names SharePoint as its generator",
      },
      {
        where: "header",
        header: "microsoftsharepointteamservices",
        fits: /./,
        says: "it sends MicrosoftSharePointTeamServices",
      },
      { where: "markup", fits: /_spPageContextInfo\s*=/, says: "its scripts use _spPageContextInfo" },
    ]),
  version: generatorVersion(/SharePoint\s+(\S+)/i),
  advise: () => ({
    exclude: [
      "re:/_(?:layouts|vti_bin|api|catalogs|forms)/",
      "re:/Forms/\\w+\\.aspx",
      "re:[?&](?:View|SortField|SortDir|FilterField\\d|Paged|p_ID|ShowInGrid|Source|RootFolder)=",
    ],
    notes: [
      "Most SharePoint sites require a Microsoft login, which the crawler can't pass. Export the library and serve the folder.",
    ],
  }),
}
