/** How every command ends. docs/command.md has the same table; a test holds them together. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** It could not be done, or `doctor` found something wrong. */
  failed: 1,
  /** The arguments, a setting or a file of the operator's is wrong; nothing was done. */
  usage: 2,
  /** A crawl came to its end with problems that somebody should look at. */
  problems: 3,
  /** Ctrl-C or SIGTERM ended it early; the same command goes on from there, where its page says so. */
  interrupted: 130,
} as const
