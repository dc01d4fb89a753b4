import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

/** The columns of each table, by table name. */
export interface MailTables {
  mail_box: { source: string; changes: number }
  mail_file: { source: string; path: string; file: string; bytes: number; changed_at: number }
  mail_message: {
    source: string
    path: string
    at: number
    length: number
    key: string
    id: string | null
    refs: string
    sum: string
    sent_at: number | null
    chars: number
    attached: string
    seen_at: number
    thread: string | null
    page: number
    place: number
  }
  mail_page: { source: string; thread: string; page: number; sum: string; version: number; chars: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, strict, keyed }) =>
    `create table mail_box (source ${text} primary key, changes ${integer} not null) ${keyed};
   create table mail_file (
     source ${text} not null, path ${text} not null, file ${text} not null, bytes ${integer} not null, changed_at ${integer} not null,
     primary key (source, path)
   ) ${keyed};
   create table mail_message (
     source ${text} not null, path ${text} not null, at ${integer} not null, length ${integer} not null, key ${text} not null,
     id ${text}, refs ${text} not null, sum ${text} not null, sent_at ${integer}, chars ${integer} not null, attached ${text} not null,
     seen_at ${integer} not null, thread ${text}, page ${integer} not null, place ${integer} not null,
     primary key (source, path, at)
   ) ${strict};
   create index mail_message_by_key on mail_message (source, key);
   create index mail_message_by_page on mail_message (source, thread, page, place);
   create table mail_page (
     source ${text} not null, thread ${text} not null, page ${integer} not null, sum ${text} not null, version ${integer} not null,
     chars ${integer} not null, primary key (source, thread, page)
   ) ${keyed};`,
]

export function migrateMail(db: StateStore): void {
  migrate(db, "mail", STEPS)
}

/** The words in a column that stores a list. */
export const wordsIn = (text: string): string[] => (text === "" ? [] : text.split(" "))
