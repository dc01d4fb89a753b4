import { type JudgedQuestion, refused } from "./judged-question.ts"

/** Near misses: the pages speak of the subject, and none of them says what is asked. */
export const UNANSWERABLE_QUESTIONS: readonly JudgedQuestion[] = [
  refused("How do I switch on HTTP/3 in Apache?"),
  refused("default keepalive timeout of nginx"),
  refused("does GnuCash have an app for the iPhone that syncs with the desktop"),
  refused("How do I file my US tax return electronically from GnuCash?"),
  refused("who was the Debian project leader in 2023"),
  refused("release date of Debian 13 trixie"),
  refused("how many disks may fail in a ZFS pool with RAID-Z2?"),
  refused("set up a Kubernetes cluster on Debian"),
  refused("Which fixed uid does the postgres user have on Debian?"),
  refused("what is the largest size a .deb file may have in the archive"),
  refused("How do I set up WireGuard between two offices?"),
  refused("what does the Debian project leader earn"),
  refused("How much did the fire at the University of Twente cost in dollars?"),
  refused("how do I bring my Revolut transactions into GnuCash"),
  refused("how do I undelete a file on ext4"),
  refused("Does Apache compress with zstd, and at which level by default?"),
  refused("over how many years does the German tax office let a computer depreciate"),
  refused("turn on dark mode in GnuCash"),
  refused("When did Bruce Perens found the Open Source Initiative?"),
  refused("GPU passthrough to a Windows guest with KVM"),
  refused("how does GnuCash keep track of Bitcoin mining rewards"),
  refused("which colour code has the swirl in the Debian logo?"),
  refused("How many lines of code did Debian 11 have?"),
  refused("how many requests a minute may one client make of Apache by default"),
  refused("is there a Debian package of the Snap store, and who maintains it"),
  refused("two-factor authentication with mod_auth_basic"),
]

/** Nothing of what the pages are about. */
export const OFF_TOPIC_QUESTIONS: readonly JudgedQuestion[] = [
  refused("how long do I boil an egg"),
  refused("Who won the football World Cup in 1954?"),
  refused("what is the best time of the year to prune apple trees"),
  refused("side effects of ibuprofen"),
  refused("How far is the Moon from the Earth?"),
  refused("cheapest train from Vienna to Venice"),
  refused("who wrote Pride and Prejudice"),
  refused("how do I get rid of ants in the kitchen"),
  refused("Which languages are spoken in Switzerland?"),
  refused("opening hours of the Louvre"),
  refused("how many strings does a cello have?"),
  refused("what do hedgehogs eat in winter"),
]
