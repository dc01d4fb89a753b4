/** Descriptors reserved for the engine and everything else: a quarter of the limit, and at least this many. */
const LEAST_RESERVE = 128
const RESERVED_SHARE = 4
/** Default maximum number of connections: an idle one takes 7 KB, and few appliances have more callers. */
const MOST_CONNECTIONS = 4096
const LEAST_CONNECTIONS = 16

/**
 * Maximum number of open connections when the process may have `limit` descriptors, leaving enough for the engine's
 * files, the database, live reads and threads. If `wanted` is 0, this function chooses the number; any other value is
 * used, up to what the limit allows.
 */
export function connectionCap(wanted: number, limit = descriptorLimit()): number {
  const reserve = Math.max(LEAST_RESERVE, Math.ceil(limit / RESERVED_SHARE))
  const possible = limit === Infinity ? limit : Math.max(LEAST_CONNECTIONS, limit - reserve)
  return Math.min(possible, wanted === 0 ? MOST_CONNECTIONS : wanted)
}

/** Maximum number of descriptors this process may have open (RLIMIT_NOFILE, POSIX getrlimit); Infinity if there is no such limit. */
export function descriptorLimit(): number {
  const report = process.report?.getReport() as
    | { readonly userLimits?: { readonly open_files?: { readonly soft: number | string } } }
    | undefined
  const soft = report?.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Infinity
}
