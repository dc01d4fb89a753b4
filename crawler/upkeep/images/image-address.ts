/** Services for counters, badges, buttons and avatars, never content. */
const JUNK_HOST =
  /^(?:img\.shields\.io|badge\.fury\.io|badgen\.net|badges\.[a-z0-9.-]+|(?:www|secure|\d)\.gravatar\.com|stats\.wp\.com|pixel\.[a-z0-9.-]+|[a-z0-9.-]*\.doubleclick\.net|www\.google-analytics\.com|[a-z]*\.scorecardresearch\.com|s\.w\.org|buttons\.github\.io|travis-ci\.(?:org|com)|codecov\.io|coveralls\.io)$/i
const JUNK_FOLDER = /\/(?:emojis?|smil(?:ies|eys)|badges?|sprites?|favicons?)\//i
const JUNK_NAME =
  /^(?:(?:clear|blank|empty|transparent|trans|spacer|pixel|shim|1x1|px|loading|loader|placeholder|lazy)(?:[-_.]?(?:gif|img|image|pixel|\d+x?\d*))*|(?:sprites?|favicon)[-_.a-z0-9]*|apple-touch-icon[-_.a-z0-9]*|(?:.*[-_])?badge)$/i
const FACEBOOK_TRACKER = /^https?:\/\/(?:www\.)?facebook\.com\/tr\b/i

/** Whether an image's address alone identifies a tracker, spacer, sprite, badge or emoji, so that it need not be fetched. */
export function isJunkAddress(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return true
  if (JUNK_HOST.test(url.hostname) || FACEBOOK_TRACKER.test(address)) return true
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1)
  const name = url.pathname.slice(folder.length).replace(/\.[a-z0-9]{2,5}$/i, "")
  return JUNK_FOLDER.test(folder) || JUNK_NAME.test(name)
}
