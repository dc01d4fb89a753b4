/** Descriptors reserved for the engine and everything else: a quarter of the limit, and at least this many. */
const LEAST_RESERVE = 128
const RESERVED_SHARE = 4
/** Most connections that are taken by default: an idle one takes 7 KB, and few appliances have more callers. */
const MOST_CONNECTIONS = 4096
const LEAST_CONNECTIONS = 16

/**
 * Connections that may be open at one time, when the process may have `limit` descriptors: what the engine's files, the
 * database, live reads and threads need stays free. `wanted` of 0 leaves the number to this function; another one is
 * taken as far as the limit allows.
 */
export function connectionCap(wanted: number, limit = descriptorLimit()): number {
  const reserve = Math.max(LEAST_RESERVE, Math.ceil(limit / RESERVED_SHARE))
  const possible = limit === Infinity ? limit : Math.max(LEAST_CONNECTIONS, limit - reserve)
  return Math.min(possible, wanted === 0 ? MOST_CONNECTIONS : wanted)
}

/** Descriptors that this process may have open (RLIMIT_NOFILE, POSIX getrlimit); Infinity where there is no such limit. */
export function descriptorLimit(): number {
  const report = process.report?.getReport() as
    | { readonly userLimits?: { readonly open_files?: { readonly soft: number | string } } }
    | undefined
  const soft = report?.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Infinity
}
