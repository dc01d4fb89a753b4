import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { withoutTracking } from "./tracking-parameters.ts"

test.each([
  ["https://example.org/a?utm_source=x&UTM_Medium=y", "https://example.org/a"],
  ["https://example.org/a?id=1&fbclid=abc&b=2", "https://example.org/a?id=1&b=2"],
  ["https://example.org/a;jsessionid=0F3A?id=1", "https://example.org/a?id=1"],
  ["https://example.org/(S(abcdefgh12345678))/a.aspx", "https://example.org/a.aspx"],
  ["https://example.org/a?PHPSESSID=12&gclid", "https://example.org/a"],
])("%s is %s", (found, clean) => {
  expect(withoutTracking(found as PageUrl)).toBe(clean)
})

test.each([
  "https://example.org/a?ref=b&sid=4&source=rss&sort=price",
  "https://example.org/utm_source=x",
  "https://example.org/a?q=utm_source",
  "https://example.org/a?b&&c=",
  "https://example.org/f(x);v=2/(about)/",
])("%s stays as it is", (found) => {
  expect(withoutTracking(found as PageUrl)).toBe(found)
})
