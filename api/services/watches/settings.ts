import { integer, list } from "#base/settings.ts"
import { isMailbox } from "#crawler/alert-settings.ts"

/** One mailbox, or `@` and a domain for all of its mailboxes. */
const isRecipient = (text: string): boolean => isMailbox(text.startsWith("@") ? `any${text}` : text)

const recipients = list({
  name: "FOSSICK_WATCH_EMAILS",
  default: "",
  about:
    "Who may be written to by watches of keys that are not of the role admin: e-mail addresses, or `@example.com` for all of a domain, separated by commas; needs a mail server, as alerts do.",
})

/** Settings of watches. */
export const watchSettings = {
  watchesPerKey: integer(
    {
      name: "FOSSICK_WATCHES_PER_KEY",
      default: "20",
      about: "Watches that one key may have; 0 lets none be made.",
    },
    0,
    10_000,
  ),
  watchEntries: integer(
    {
      name: "FOSSICK_WATCH_ENTRIES",
      default: "1000",
      about: "Entries kept of each watch for its feed; then the oldest are forgotten, once they were sent.",
    },
    10,
    100_000,
  ),
  watchTextMb: integer(
    {
      name: "FOSSICK_WATCH_TEXT_MB",
      default: "256",
      about:
        "Megabytes that the texts of watched pages may take, packed, to say what changed in them; what comes later is reported without its difference.",
    },
    0,
    1_000_000,
  ),
  watchEmails: {
    ...recipients,
    parse(value: string) {
      const all = recipients.parse(value)
      if (!all.every(isRecipient)) {
        throw new Error("must be e-mail addresses such as ops@example.com, or @example.com")
      }
      return all.map((one) => one.toLowerCase())
    },
  },
}
