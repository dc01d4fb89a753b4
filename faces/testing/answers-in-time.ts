import type { Page } from "playwright"

/**
 * On a busy machine an answer may be chosen by words alone, and so differ; the response says so. This repeats the
 * page's searches until the answer was also chosen by meaning.
 */
export const answersInTime = (page: Page): Promise<unknown> =>
  page.route(/\/search$/, async (route) => {
    let response = await route.fetch()
    while ((await response.text()).includes("answer_meaning")) response = await route.fetch()
    await route.fulfill({ response })
  })
