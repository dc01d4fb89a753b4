import { createHash } from "node:crypto"

/** The facts about a message that determine its thread. */
export interface ThreadedMessage {
  readonly key: string
  readonly id: string | null
  readonly refs: readonly string[]
  readonly sentAt: number | null
  /** Number of characters in the message's text. */
  readonly chars: number
  /** The message's current thread; `null` if it has none yet. */
  readonly thread: string | null
}

/** The place of a message. */
export interface ThreadPlace {
  readonly thread: string
  /** Page number, counted from 1; a long thread has several pages. */
  readonly page: number
  /** Position of the message on the page, from 0; -1 if the page shows another copy of the message. */
  readonly place: number
}

/** Limits for one page. */
const MAX_MESSAGES = 300
const MAX_CHARS = 1_000_000

/**
 * Sorts messages into threads by References and In-Reply-To (RFC 5256, THREAD=REFERENCES, but not joined by subject):
 * messages that name each other or the same third message form a thread, even if the third is missing. A thread keeps
 * its name as long as one of the messages that it already had is still in it: a root that arrives late changes nothing,
 * and if a message joins two threads, they keep the older thread's name.
 * @returns the place of each message, in the order of the messages. The longest copy of a message is shown.
 */
export function threadsOf(messages: readonly ThreadedMessage[]): ThreadPlace[] {
  const threads = joined(messages).map((members) => inOrder(members, messages))
  // The oldest threads come first, so that the older part of a split thread keeps the name.
  threads.sort((a, b) => timeOf(messages[a[0]!]!) - timeOf(messages[b[0]!]!) || (a[0]! < b[0]! ? -1 : 1))
  const taken = new Set<string>()
  const places = Array.from<ThreadPlace>({ length: messages.length })
  const waiting: (readonly number[])[] = []
  for (const members of threads) {
    const name = members.map((at) => messages[at]!.thread).find((one) => one !== null && !taken.has(one))
    if (name == null) waiting.push(members)
    else {
      taken.add(name)
      put(places, members, messages, name)
    }
  }
  for (const members of waiting) {
    const { refs, id, key } = messages[members[0]!]!
    const name =
      [nameOf(refs[0] ?? id ?? key), nameOf(key)].find((one) => !taken.has(one)) ?? nameOf(`other ${key}`)
    taken.add(name)
    put(places, members, messages, name)
  }
  return places
}

const nameOf = (root: string): string =>
  createHash("sha256").update(`thread ${root}`).digest("hex").slice(0, 20)

const timeOf = ({ sentAt }: ThreadedMessage): number => sentAt ?? 0

/** The messages of each thread, as indices. */
function joined(messages: readonly ThreadedMessage[]): number[][] {
  const nodes = new Map<string, number>()
  const parents: number[] = []
  const nodeOf = (id: string): number => {
    let node = nodes.get(id)
    if (node === undefined) nodes.set(id, (node = parents.push(parents.length) - 1))
    return node
  }
  const top = (from: number): number => {
    let node = from
    while (parents[node] !== node) node = parents[node] = parents[parents[node]!]!
    return node
  }
  // A message without an id gets its own node; copies share one.
  const own = messages.map(({ id, key }) => nodeOf(id ?? ` ${key}`))
  for (const [at, { refs }] of messages.entries())
    for (const ref of refs) parents[top(nodeOf(ref))] = top(own[at]!)
  const threads = new Map<number, number[]>()
  for (const [at, node] of own.entries()) {
    const root = top(node)
    const members = threads.get(root)
    if (members === undefined) threads.set(root, [at])
    else members.push(at)
  }
  return [...threads.values()]
}

/** Sorts messages by time, but never puts a reply before the message that it answers, since clocks may be wrong. */
function inOrder(members: readonly number[], messages: readonly ThreadedMessage[]): number[] {
  if (members.length === 1) return [...members]
  const byId = new Map<string, number>()
  for (const at of members) {
    const { id } = messages[at]!
    if (id !== null && !byId.has(id)) byId.set(id, at)
  }
  const parentOf = (at: number): number | undefined => {
    const ref = messages[at]!.refs.findLast((one) => byId.has(one))
    return ref === undefined ? undefined : byId.get(ref)
  }
  const times = new Map<number, number>()
  for (const member of members) {
    // Walks up to the first message with a known time, and back down. References may form a loop.
    const way: number[] = []
    const seen = new Set<number>()
    for (
      let at: number | undefined = member;
      at !== undefined && !times.has(at) && !seen.has(at);
      at = parentOf(at)
    ) {
      seen.add(at)
      way.push(at)
    }
    for (const at of way.toReversed()) {
      const parent = parentOf(at)
      const after = parent === undefined ? undefined : times.get(parent)
      times.set(at, Math.max(timeOf(messages[at]!), after === undefined ? 0 : after + 1))
    }
  }
  return members.toSorted(
    (a, b) =>
      times.get(a)! - times.get(b)! ||
      compare(messages[a]!.key, messages[b]!.key) ||
      messages[b]!.chars - messages[a]!.chars ||
      a - b,
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function put(
  places: ThreadPlace[],
  members: readonly number[],
  messages: readonly ThreadedMessage[],
  thread: string,
): void {
  let page = 1
  let place = 0
  let chars = 0
  const put = new Map<string, ThreadPlace>()
  for (const at of members) {
    const message = messages[at]!
    const copy = put.get(message.key)
    if (copy !== undefined) {
      places[at] = { ...copy, place: -1 }
      continue
    }
    if (place > 0 && (place >= MAX_MESSAGES || chars + message.chars > MAX_CHARS)) {
      page += 1
      place = 0
      chars = 0
    }
    places[at] = { thread, page, place }
    put.set(message.key, places[at])
    place += 1
    chars += message.chars
  }
}
