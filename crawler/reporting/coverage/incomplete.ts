/**
 * Why a source is not complete:
 * - `never-run`; `running`: a run is under way, queued or paused.
 * - `login-failed`, `failed`, `cancelled`: how the last run ended.
 * - `limit`: the run reached a limit. `depth`: pages at the depth limit have further links, or might have.
 * - `unread`: addresses could not be read, for reasons that may be temporary.
 * - `rules-changed`: its declaration has changed since the run.
 * - `unfollowed`: the run did not follow every link.
 */
export type Incomplete = (typeof INCOMPLETE)[number]

export const INCOMPLETE = [
  "never-run",
  "running",
  "login-failed",
  "failed",
  "cancelled",
  "limit",
  "depth",
  "unread",
  "rules-changed",
  "unfollowed",
] as const
