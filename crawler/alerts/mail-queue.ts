import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { dueIndex, type Message, Outbox, OUTBOX_COLUMNS } from "#base/work/outbox.ts"
import type { MailText } from "./messages.ts"

/** The table of {@link MailQueue}; alert-book.ts makes it with its own. */
export const MAIL_TABLE = `create table alert_mail (${OUTBOX_COLUMNS}, subject text not null, body text not null) strict;
   ${dueIndex("alert_mail")}`

/** E-mails that were not taken, by state, for those who read the store without {@link MailQueue}. */
export const MAILS_NOT_TAKEN = `select state, count(*) as n, max(error) as error from alert_mail
  where state = 'given-up' or (state = 'waiting' and attempts > 0) group by state`

/** One message; its receiver is the recipient's address. */
export type Mail = Message & MailText

/** E-mails that wait for the mail server, in `state.db`. */
export class MailQueue extends Outbox<MailText> {
  /** The tables are there: see `AlertBook`. */
  constructor(db: StateStore, clock: Clock) {
    super(db, {
      table: "alert_mail",
      own: (row) => ({ subject: String(row["subject"]), text: String(row["body"]) }),
      inOrder: false,
      clock,
    })
  }

  /** Takes a message for each recipient, so that one who is refused costs no other theirs. */
  tell(recipients: readonly string[], { subject, text }: MailText): void {
    for (const recipient of recipients) this.put(recipient, { subject, body: text })
  }
}
