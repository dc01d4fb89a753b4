import { mailProblems } from "../../../alert-settings.ts"
import type { AlertChannel } from "./channel.ts"

export const email = {
  name: "email",
  called: { way: "e-mail", one: "e-mail", server: "a mail server" },
  settings: "FOSSICK_SMTP_URL",
  queue: "alerts",
  receivers: ({ alertEmail }) => alertEmail,
  shown: (receiver) => receiver,
  problems: mailProblems,
  isReady: ({ smtpUrl }) => smtpUrl !== "",
  async open({ config, env }) {
    // Loaded on the first message, because most appliances send none.
    const { sendMail } = await import("../send-mail.ts")
    return {
      send: async (message, signal) => await sendMail(message, { config, env, signal }),
      [Symbol.asyncDispose]: async () => undefined,
    }
  },
} as const satisfies AlertChannel
