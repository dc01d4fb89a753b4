import { baseUrl, integer, onOff, text } from "#base/settings.ts"

/** Where traces are sent. */
export const traceSettings = {
  tracesUrl: baseUrl({
    name: "FOSSICK_TRACES_URL",
    default: "",
    about:
      "Receiver of OpenTelemetry traces over OTLP/HTTP, such as `http://localhost:4318`; empty turns traces off.",
  }),
  tracesKey: text({
    name: "FOSSICK_TRACES_KEY",
    default: "",
    secret: true,
    about: "Key sent to FOSSICK_TRACES_URL as `Authorization: Bearer`; empty sends none.",
  }),
  tracesShare: integer(
    {
      name: "FOSSICK_TRACES_SHARE",
      default: "100",
      about: "Percentage of calls and runs to trace, unless the caller decides.",
    },
    0,
    100,
  ),
  tracesText: onOff({
    name: "FOSSICK_TRACES_TEXT",
    default: "off",
    about:
      "Whether traces contain the addresses of visited pages. They never contain texts, questions or secrets.",
  }),
}
