import { type Fact, fact, factOn } from "../judged-question.ts"

// Facts of the pages of the guides, by guide.

export const harden = (page: string, ...says: readonly string[]): Fact => fact(`harden/${page}.html`, ...says)
export const apt = (page: string, ...says: readonly string[]): Fact => fact(`aptitude/${page}.html`, ...says)
/** The list of commands and the handbook's own words for them may say the same. */
export const aptOn = (pages: readonly string[], ...says: readonly string[]): Fact =>
  factOn(
    pages.map((page) => `aptitude/${page}.html`),
    ...says,
  )
export const gammu = (page: string, ...says: readonly string[]): Fact => fact(`gammu/${page}.html`, ...says)
export const gammuOn = (pages: readonly string[], ...says: readonly string[]): Fact =>
  factOn(
    pages.map((page) => `gammu/${page}.html`),
    ...says,
  )
export const claws = (...says: readonly string[]): Fact => fact("claws/claws-mail-manual.html", ...says)
