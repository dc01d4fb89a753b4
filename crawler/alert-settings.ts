import { integer, list, type Setting, text, type Values } from "#base/settings.ts"

/** Whether text is the address of one mailbox according to RFC 5321, without the forms that need quoting, because it is written into a header. */
export const isMailbox = (text: string): boolean =>
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(text)
/** References to secrets: the settings name a secret and never contain it. */
const REFERENCE = /^(?:\$\{[A-Za-z_]\w*\}|file:.+)$/
const NTFY_TOPIC = /^[\w-]{1,64}$/
/** For more recipients, use a mailing list on the mail server. */
const MAX_RECIPIENTS = 20

function mailbox(value: string): string {
  if (value !== "" && !isMailbox(value)) throw new Error("must be an e-mail address such as ops@example.com")
  return value
}

const recipients = list({
  name: "FOSSICK_ALERT_EMAIL",
  default: "",
  about: "E-mail addresses that receive alerts, separated by commas, at most 20; needs FOSSICK_SMTP_URL.",
})

const reference = (setting: Omit<Setting<string>, "parse">): Setting<string> => ({
  ...setting,
  secret: true,
  parse(value) {
    if (value !== "" && !REFERENCE.test(value)) {
      throw new Error(
        "must name a secret, as ${NAME} (an environment variable) or file:/path, not contain it",
      )
    }
    return value
  },
})

const smtpUrl: Setting<string> = {
  name: "FOSSICK_SMTP_URL",
  default: "",
  about:
    "Mail server that sends alerts: smtp://user@host:587, or smtps://user@host:465 for TLS from the start. The password goes into FOSSICK_SMTP_PASSWORD; with a password, smtp:// requires STARTTLS, except on this machine.",
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
      throw new Error("must be an address such as smtp://user@mail.example.com:587")
    }
    if (url.password !== "") throw new Error("must not contain a password; set FOSSICK_SMTP_PASSWORD")
    if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
      throw new Error("must be an address without a path or query")
    }
    return value
  },
}

const alertWebhook: Setting<string> = {
  name: "FOSSICK_ALERT_WEBHOOK",
  default: "",
  about:
    "Address that receives alerts about all sources and backups; in a private network only if FOSSICK_WEBHOOK_NETWORKS allows it.",
  secret: true,
  parse(value) {
    if (value !== "" && !/^https?:$/.test(URL.parse(value)?.protocol ?? "")) {
      throw new Error("must be an http or https address")
    }
    return value
  },
}

const alertNtfy: Setting<string> = {
  name: "FOSSICK_ALERT_NTFY",
  default: "",
  about:
    "ntfy topic that receives alerts, such as https://ntfy.sh/a-name-that-is-hard-to-guess; in a private network only if FOSSICK_WEBHOOK_NETWORKS allows it.",
  // Anyone who knows the topic can read it.
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https address")
    if (url.username !== "" || url.password !== "")
      throw new Error("must not contain a user or password; set FOSSICK_ALERT_NTFY_TOKEN")
    if (!NTFY_TOPIC.test(url.pathname.split("/").at(-1) ?? "") || url.search !== "" || url.hash !== "")
      throw new Error(
        "must end with a topic, as in https://ntfy.sh/topic: at most 64 letters, digits, - and _",
      )
    return value
  },
}

/** The alert settings, which are part of the crawler's. */
export const alertSettings = {
  alertAfter: integer(
    {
      name: "FOSSICK_ALERT_AFTER",
      default: "2",
      about:
        "How many runs of a source in a row must fail or finish with problems before an alert is sent; 0 turns off all alerts, including those about backups.",
    },
    0,
    100,
  ),
  alertWebhook,
  alertWebhookSecret: reference({
    name: "FOSSICK_ALERT_WEBHOOK_SECRET",
    default: "",
    about:
      "Reference to the secret that signs requests to FOSSICK_ALERT_WEBHOOK: ${NAME} for an environment variable, or file:/path.",
  }),
  alertEmail: {
    ...recipients,
    parse(value: string) {
      const all = recipients.parse(value)
      for (const one of all) mailbox(one)
      if (all.length > MAX_RECIPIENTS) throw new Error(`must have at most ${MAX_RECIPIENTS} addresses`)
      return all
    },
  },
  alertFrom: {
    ...text({
      name: "FOSSICK_ALERT_FROM",
      default: "",
      about:
        "Sender of e-mail alerts. If empty, the user in FOSSICK_SMTP_URL if that is an e-mail address, otherwise fossick@ followed by this machine's name.",
    }),
    parse: mailbox,
  },
  smtpUrl,
  smtpPassword: reference({
    name: "FOSSICK_SMTP_PASSWORD",
    default: "",
    about:
      "Reference to the password of the mail server: ${NAME} for an environment variable, or file:/path.",
  }),
  alertNtfy,
  alertNtfyToken: reference({
    name: "FOSSICK_ALERT_NTFY_TOKEN",
    default: "",
    about:
      "Reference to the access token for FOSSICK_ALERT_NTFY: ${NAME} for an environment variable, or file:/path; empty for a topic that anyone can write to.",
  }),
}

export type AlertConfig = Values<typeof alertSettings>

/** Errors in combinations of settings that are each valid on their own. */
export const alertProblems = (config: AlertConfig): string[] => [
  ...mailProblems(config),
  ...ntfyProblems(config),
]

export function mailProblems({ alertEmail, smtpUrl: server, smtpPassword }: AlertConfig): string[] {
  const problems: string[] = []
  if (alertEmail.length > 0 && server === "") {
    problems.push("FOSSICK_ALERT_EMAIL needs FOSSICK_SMTP_URL, the mail server that sends the alerts")
  }
  if (smtpPassword !== "" && !(URL.parse(server)?.username ?? "")) {
    problems.push("FOSSICK_SMTP_PASSWORD needs a user in FOSSICK_SMTP_URL: smtp://user@host:587")
  }
  return problems
}

export function ntfyProblems({ alertNtfy: topic, alertNtfyToken: token }: AlertConfig): string[] {
  if (token === "") return []
  if (topic === "") return ["FOSSICK_ALERT_NTFY_TOKEN needs FOSSICK_ALERT_NTFY, the topic"]
  const { protocol, hostname } = new URL(topic)
  // A token is sent over an unencrypted connection only to this machine itself.
  if (protocol === "https:" || isThisMachine(hostname)) return []
  return [
    "FOSSICK_ALERT_NTFY_TOKEN needs an https:// address in FOSSICK_ALERT_NTFY, so that nobody on the network can read the token",
  ]
}

/** Whether an address's host is this machine. */
export const isThisMachine = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(host)
