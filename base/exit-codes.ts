/** Exit codes of all commands. docs/command.md has the same table; a test keeps them consistent. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** The command failed, or `doctor` found a problem. */
  failed: 1,
  /** The arguments, a setting or one of the operator's files is wrong; nothing was done. */
  usage: 2,
  /** A crawl finished with problems that need attention. */
  problems: 3,
  /** Ctrl-C or SIGTERM ended the command early; if its page says so, running it again continues from there. */
  interrupted: 130,
} as const
