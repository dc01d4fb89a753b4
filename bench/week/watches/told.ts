/** A change, as reported or as it happened. */
export interface Telling {
  readonly change: string
  readonly url: string
}

/** The messages of one watch over one channel. */
export interface WatchVerdict {
  readonly watch: string
  readonly way: "entries" | "feed" | "webhook" | "e-mail"
  readonly expected: number
  readonly told: number
  /** Changes that happened and were not reported. */
  readonly lost: readonly string[]
  /** Changes that were reported more often than they happened. */
  readonly doubled: readonly string[]
}

const keyOf = ({ change, url }: Telling): string => `${change} ${url}`

/**
 * Compares reports with the truth.
 * @param mayTell further changes that the watch may report, each once: other pages that a question finds.
 */
export function judge(
  which: Pick<WatchVerdict, "watch" | "way">,
  told: readonly Telling[],
  {
    expected,
    mayTell = [],
  }: { readonly expected: readonly Telling[]; readonly mayTell?: readonly Telling[] },
): WatchVerdict {
  const lost = without(expected, told)
  const doubled = without(told, [...expected, ...mayTell])
  return { ...which, expected: expected.length, told: told.length, lost, doubled }
}

/** The items that are left after one equal item has been removed for each item of the other list. */
function without(all: readonly Telling[], others: readonly Telling[]): readonly string[] {
  const left = new Map<string, number>()
  for (const one of others) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1)
  return all.map(keyOf).filter((key) => {
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
}

/** The entries of an Atom feed. */
export function ofFeed(xml: string): readonly Telling[] {
  return [
    ...xml.matchAll(/<entry>[^]*?<link href="([^"]*)"\/>\s*<category term="([^"]*)"\/>[^]*?<\/entry>/g),
  ].map(([, url = "", change = ""]) => ({ url, change }))
}

/** The changes that a watch's mails report; mails with the same Message-ID are counted once. */
export function ofMails(mails: readonly string[], watch: string): readonly Telling[] {
  const kept = new Map(mails.map((mail) => [/^Message-ID: (.*)$/im.exec(mail)?.[1] ?? mail, plain(mail)]))
  const own = [...kept.values()].filter((mail) => mail.includes(`watch ${watch}`))
  return own.flatMap((mail) =>
    [...mail.matchAll(/^(New|Changed|Gone): .*\n(http\S+)$/gm)].map(([, change = "", url = ""]) => ({
      change: change.toLowerCase(),
      url,
    })),
  )
}

/** The lines of a mail, with its encoding (RFC 2045, 6.7) removed. */
function plain(mail: string): string {
  const text = mail.replaceAll("\r\n", "\n")
  if (!/^Content-Transfer-Encoding: quoted-printable$/im.test(text)) return text
  return text
    .replaceAll("=\n", "")
    .replaceAll(/=([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
