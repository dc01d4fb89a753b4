/** Compares two addresses of a page. Negative if `a` is more likely to be the page's own address: secure, not a print version, without a query, short. */
export function compareAddresses(a: string, b: string): number {
  const [one, other] = [signs(a), signs(b)]
  for (const [i, sign] of one.entries()) if (sign !== other[i]) return sign - other[i]!
  return a < b ? -1 : a > b ? 1 : 0
}

function signs(address: string): number[] {
  const { protocol, pathname, search } = new URL(address)
  return [
    protocol === "https:" ? 0 : 1,
    /[^a-z](?:print|printable|amp)(?:[^a-z]|$)/i.test(pathname + search) ? 1 : 0,
    search === "" ? 0 : 1,
    address.length,
  ]
}
