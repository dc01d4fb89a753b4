import { readJson } from "../../bench/data-files.ts"

const STRINGS = { elements: { type: "string" } } as const
const PAGES = { values: { type: "string" } } as const

/**
 * What is tried, as lists. In addresses `PORT` is that of a service which listens at a private address; `LONG` is a long run of letters;
 * in pages `SECRET` is the private service's origin and `AUTHORITY` its host and port; in folders `FOLDER` and `ROOT` are the folder around the data.
 */
export const CASES = readJson(new URL("cases.json", import.meta.url), {
  properties: {
    /** Addresses that lead where nobody may go, however they are spelt. */
    forbiddenAddresses: STRINGS,
    /** Schemes that no page is read by. */
    otherSchemes: STRINGS,
    redirects: STRINGS,
    liveAddresses: STRINGS,
    /** What anyone may call a thing, so that whoever takes the name for a path leaves the folder. */
    namesOfPaths: STRINGS,
    backupFolders: STRINGS,
    pathsUpwards: STRINGS,
    pollutions: STRINGS,
    pollutedQueries: STRINGS,
    patterns: STRINGS,
    /** Where a program would be sent back to, and what the system would do with it at once. */
    redirectUris: STRINGS,
    webhookAddresses: STRINGS,
    reboundNames: STRINGS,
    /** What a page tries, in HTML. */
    pageTries: PAGES,
    /** Tries of what only pages of https, or of this machine, may do. */
    securePageTries: PAGES,
    /** Tries that lead the page itself away; each is a page of its own. */
    leavingPageTries: PAGES,
  },
})
