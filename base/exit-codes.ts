/** How every command ends. docs/command.md has the same table; a test holds them together. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** It could not be done, or `doctor` found something wrong. */
  failed: 1,
  /** The arguments, a setting or a file of the operator's is wrong; nothing was done. */
  usage: 2,
  /** A crawl finished with problems that need a look. */
  problems: 3,
  /** Ctrl-C or SIGTERM ended it early; running the same command again continues from there, where its page says so. */
  interrupted: 130,
} as const
