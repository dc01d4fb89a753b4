import type { PageUrl } from "#engine"

/**
 * Parameters that track clicks, and the session ids of common servers. Advertisers, mail services and servers add them
 * to the addresses of any site, so no site uses these names to choose a page. Short names that a site may well use
 * itself (`ref`, `source`, `sid`) are not here: those are learned from the site.
 */
const TRACKING = new Set([
  // Advertisements
  "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "srsltid",
  "fbclid", "msclkid", "twclid", "ttclid", "li_fat_id", "igshid", "igsh", "yclid", "ysclid", "epik",
  "rdt_cid", "irclickid", "wickedid",
  // Mail and marketing services
  "mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "mkt_tok", "vero_id",
  "vero_conv", "_openstat", "oly_anon_id", "oly_enc_id", "rb_clickid", "s_cid", "ml_subscriber",
  "ml_subscriber_hash", "_bta_tid", "_bta_c", "dm_i", "nr_email_referer",
  // Analytics
  "_ga", "_gl", "at_medium", "at_campaign", "matomo_campaign", "mtm_campaign", "mtm_source", "mtm_medium",
  "mtm_keyword", "mtm_content", "pk_campaign", "pk_source", "pk_medium", "pk_keyword", "pk_content", "piwik_campaign",
  "piwik_kwd",
  // Session ids of PHP, Java and ColdFusion
  "phpsessid", "jsessionid", "cfid", "cftoken",
]) // prettier-ignore
const PREFIXES = ["utm_", "aspsessionid"]
/** Session ids of Java servers (`/a;jsessionid=…`), and of ASP.NET without cookies (`/(S(…))/a`). */
const IN_PATH = /;jsessionid=[^;/?#]*|\/\((?:[ASF]\([\w-]{8,}\)){1,3}\)(?=\/)/gi

/** An address without parameters that only track a click or a visitor. Everything else stays as written. */
export function withoutTracking(url: PageUrl): PageUrl {
  const at = url.indexOf("?")
  const path = at < 0 ? url : url.slice(0, at)
  const bare = path.includes(";") || path.includes("/(") ? path.replace(IN_PATH, "") : path
  if (at < 0) return bare as PageUrl
  const query = url.slice(at + 1)
  const kept = query.split("&").filter((one) => !isTracking(one))
  const rest = kept.join("&")
  if (rest === query && bare === path) return url
  return (rest === "" ? bare : `${bare}?${rest}`) as PageUrl
}

function isTracking(parameter: string): boolean {
  const name = parameter.slice(0, Math.max(0, (parameter + "=").indexOf("="))).toLowerCase()
  return TRACKING.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
