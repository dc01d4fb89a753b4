import { integer } from "#base/settings.ts"

/** Settings of what all callers together may hold. */
export const loadSettings = {
  connections: integer(
    {
      name: "FOSSICK_CONNECTIONS",
      default: "0",
      about:
        "Connections that both listeners together keep open; 0 means as many as the process may open files, less a reserve for the engine, and at most 4096.",
    },
    0,
    100_000,
  ),
  connectionsPerAddress: integer(
    {
      name: "FOSSICK_CONNECTIONS_PER_ADDRESS",
      default: "0",
      about:
        "Connections that one address may keep open; 0 means half of all, which is also the most. Addresses in FOSSICK_TRUSTED_PROXIES are not counted.",
    },
    0,
    100_000,
  ),
  requestsAhead: integer(
    {
      name: "FOSSICK_REQUESTS_AHEAD",
      default: "100",
      about:
        "Requests that may wait on one connection behind the one that is answered, sent ahead of its answer; one more and the connection is closed.",
    },
    1,
    10_000,
  ),
  keylessPerMinute: integer(
    {
      name: "FOSSICK_KEYLESS_PER_MINUTE",
      default: "3000",
      about:
        "Requests that one address may make in a minute without a valid key, searches by FOSSICK_OPEN_KEY and FOSSICK_SEARXNG_KEY included, `/healthz` and `/readyz` not; the next is refused with 429 and its connection closed. 0 sets no limit. Behind FOSSICK_TRUSTED_PROXIES the address that they name counts.",
    },
    0,
    1_000_000,
  ),
  eventStreams: integer(
    {
      name: "FOSSICK_EVENT_STREAMS",
      default: "16",
      about:
        "Streams of events that may be open at one time, of which each open console has one; the next is refused with 429.",
    },
    1,
    10_000,
  ),
  sendSeconds: integer(
    {
      name: "FOSSICK_SEND_SECONDS",
      default: "60",
      about:
        "Seconds for which a caller may take nothing of an answer that is ready; then its connection is closed. Each part that is taken restarts the time.",
    },
    1,
    3600,
  ),
  searchQueue: integer(
    {
      name: "FOSSICK_SEARCH_QUEUE",
      default: "256",
      about:
        "Searches that may wait for one of the places of FOSSICK_SEARCHES; the next is refused with 429.",
    },
    1,
    100_000,
  ),
  searchWaitSeconds: integer(
    {
      name: "FOSSICK_SEARCH_WAIT_SECONDS",
      default: "5",
      about:
        "Seconds that a search may wait for its turn; one that would wait longer, by how long searches took lately, is refused at once with 429.",
    },
    1,
    300,
  ),
  liveCalls: integer(
    {
      name: "FOSSICK_LIVE_CALLS",
      default: "128",
      about:
        "Extract, crawl and map calls that may be under way at one time, half of them of one key; the next is refused with 429.",
    },
    1,
    10_000,
  ),
  memoryMb: integer(
    {
      name: "FOSSICK_MEMORY_MB",
      default: "0",
      about:
        "Megabytes that all calls together may have the process that answers hold: pages found and read, answers on their way, and caches; the next call is refused with 503. 0 means a quarter of the machine's memory, or the container's, at most half of what V8 takes for objects, and the cache of the index on top. Calls have at least 64 beside what caches may hold.",
    },
    0,
    1_000_000,
  ),
  bodiesMb: integer(
    {
      name: "FOSSICK_BODIES_MB",
      default: "64",
      about:
        "Megabytes of requests that have not arrived whole, in all, and at least four of FOSSICK_BODY_LIMIT; beyond it the one that has been arriving for longest is given up.",
    },
    1,
    65_536,
  ),
  unsentMb: integer(
    {
      name: "FOSSICK_UNSENT_MB",
      default: "256",
      about:
        "Megabytes of answers that may wait for callers to take them, in all, and at most an eighth of what FOSSICK_MEMORY_MB leaves beside caches; beyond it the connection that took nothing for longest is closed.",
    },
    1,
    65_536,
  ),
}
