import { integer } from "#base/settings.ts"

/** Settings for the resources that all callers together may use. */
export const loadSettings = {
  connections: integer(
    {
      name: "FOSSICK_CONNECTIONS",
      default: "0",
      about:
        "Connections that both listeners together keep open; 0 means as many as the number of files that the process can open, less a reserve for the engine, and at most 4096.",
    },
    0,
    100_000,
  ),
  connectionsPerAddress: integer(
    {
      name: "FOSSICK_CONNECTIONS_PER_ADDRESS",
      default: "0",
      about:
        "Connections that one address may keep open; 0 means half of all, which is also the maximum. Addresses in FOSSICK_TRUSTED_PROXIES are not counted.",
    },
    0,
    100_000,
  ),
  requestsAhead: integer(
    {
      name: "FOSSICK_REQUESTS_AHEAD",
      default: "100",
      about:
        "Requests that can be sent ahead on one connection, before the first one is answered; one more request closes the connection.",
    },
    1,
    10_000,
  ),
  keylessPerMinute: integer(
    {
      name: "FOSSICK_KEYLESS_PER_MINUTE",
      default: "3000",
      about:
        "Requests that one address can make in a minute without a valid key, including searches by FOSSICK_OPEN_KEY and FOSSICK_SEARXNG_KEY, but not `/healthz` and `/readyz`. Further requests are refused with 429 and their connection is closed. 0 means no limit. Behind a proxy in FOSSICK_TRUSTED_PROXIES, the address that the proxy reports is the one counted.",
    },
    0,
    1_000_000,
  ),
  eventStreams: integer(
    {
      name: "FOSSICK_EVENT_STREAMS",
      default: "16",
      about:
        "Event streams that can be open at the same time; each open console uses one. The next is refused with 429.",
    },
    1,
    10_000,
  ),
  sendSeconds: integer(
    {
      name: "FOSSICK_SEND_SECONDS",
      default: "60",
      about:
        "Seconds after which a connection is closed if its caller has read nothing of an answer that is ready. Each part that is read restarts the time.",
    },
    1,
    3600,
  ),
  searchQueue: integer(
    {
      name: "FOSSICK_SEARCH_QUEUE",
      default: "256",
      about: "Searches that can wait while FOSSICK_SEARCHES others run; the next is refused with 429.",
    },
    1,
    100_000,
  ),
  searchWaitSeconds: integer(
    {
      name: "FOSSICK_SEARCH_WAIT_SECONDS",
      default: "5",
      about:
        "Seconds that a search can wait for its turn. A search that would wait longer, judging by recent searches, is refused at once with 429.",
    },
    1,
    300,
  ),
  liveCalls: integer(
    {
      name: "FOSSICK_LIVE_CALLS",
      default: "128",
      about:
        "Extract, crawl and map calls that can be in progress at the same time, half of them for one key; the next is refused with 429.",
    },
    1,
    10_000,
  ),
  memoryMb: integer(
    {
      name: "FOSSICK_MEMORY_MB",
      default: "0",
      about:
        "Megabytes of memory that all calls together can use in the API process: for pages found and read, answers being sent, and caches. The next call is refused with 503. 0 means a quarter of the memory of the machine or container, at most half of V8's heap, plus the cache of the index. Calls have at least 64 besides the caches.",
    },
    0,
    1_000_000,
  ),
  bodiesMb: integer(
    {
      name: "FOSSICK_BODIES_MB",
      default: "64",
      about:
        "Megabytes of requests that are still arriving, all together, and at least four times FOSSICK_BODY_LIMIT. Above that, the request that has been arriving longest is dropped.",
    },
    1,
    65_536,
  ),
  unsentMb: integer(
    {
      name: "FOSSICK_UNSENT_MB",
      default: "256",
      about:
        "Megabytes of answers that can wait for callers to read them, all together, and at most an eighth of what FOSSICK_MEMORY_MB leaves besides caches. Above that, the connection that has read nothing for longest is closed.",
    },
    1,
    65_536,
  ),
}
