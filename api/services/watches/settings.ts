import { integer, list } from "#base/settings.ts"
import { isMailbox } from "#crawler/alert-settings.ts"

/** Whether a text is one mailbox, or `@` and a domain for all of its mailboxes. */
const isRecipient = (text: string): boolean => isMailbox(text.startsWith("@") ? `any${text}` : text)

const recipients = list({
  name: "FOSSICK_WATCH_EMAILS",
  default: "",
  about:
    "Recipients that watches may write to, unless their key has the role admin: e-mail addresses, or `@example.com` for a whole domain, separated by commas. Needs a mail server, as alerts do.",
})

/** Settings for watches. */
export const watchSettings = {
  watchesPerKey: integer(
    {
      name: "FOSSICK_WATCHES_PER_KEY",
      default: "20",
      about: "Watches that one key may have; 0 allows no new ones.",
    },
    0,
    10_000,
  ),
  watchEntries: integer(
    {
      name: "FOSSICK_WATCH_ENTRIES",
      default: "1000",
      about:
        "Entries to keep for the feed of each watch; beyond that, the oldest are deleted once they have been sent.",
    },
    10,
    100_000,
  ),
  watchTextMb: integer(
    {
      name: "FOSSICK_WATCH_TEXT_MB",
      default: "256",
      about:
        "Megabytes, compressed, for the texts of watched pages, which show what changed. When they are used up, changes are reported without a diff.",
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
