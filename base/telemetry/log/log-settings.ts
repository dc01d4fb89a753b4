import { oneOf } from "#base/settings.ts"

/** Which lines every process of the appliance logs, and in which format. */
export const logSettings = {
  logLevel: oneOf(
    {
      name: "FOSSICK_LOG_LEVEL",
      default: "info",
      about: "Lowest level of the log lines to write.",
    },
    "debug",
    "info",
    "warn",
    "error",
    "silent",
  ),
  logFormat: oneOf(
    {
      name: "FOSSICK_LOG_FORMAT",
      default: "text",
      about: "Format of the log: `text` is for people, `json` for programs.",
    },
    "text",
    "json",
  ),
}
