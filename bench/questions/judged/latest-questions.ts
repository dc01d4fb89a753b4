import { fact, factOn, type JudgedQuestion } from "./judged-question.ts"

const RELEASES = ["history/releases.en.html", "history/detailed.en.html"]

/** What is so now, or was last, where pages also say how it was before. Now is the time of the pages. */
export const LATEST_QUESTIONS: readonly JudgedQuestion[] = [
  {
    text: "Who is the current Debian project leader?",
    facts: [fact("history/leaders.en.html", "Jonathan Carter")],
  },
  {
    text: "what is the latest stable release of Debian",
    facts: [
      factOn(
        [...RELEASES, "handbook/sect.why-debian-stable.html"],
        "Debian 11 Bullseye",
        "Debian 11.0 (Bullseye)",
        "Debian Bullseye is the latest",
      ),
    ],
  },
  {
    text: "newest version of the Debian policy, and when did it come out?",
    facts: [fact("policy/policy.html/upgrading-checklist.html", "Released December, 2022")],
  },
  {
    text: "current LTS version of Ubuntu",
    facts: [fact("handbook/sect.ubuntu.html", "current LTS version is version 20.04")],
  },
  {
    text: "which version of GNOME is in Debian now",
    facts: [fact("handbook/sect.graphical-desktops.html", "GNOME version 3.38")],
  },
  {
    text: "What is the codename of the present testing distribution?",
    facts: [fact("history/detailed.en.html", "currently codenamed Bookworm")],
  },
  {
    text: "where and when was the most recent DebConf",
    facts: [fact("history/detailed.en.html", "from August 24 to August 28, 2021")],
  },
  {
    text: "today's default for the size of a request body in Apache",
    facts: [
      factOn(
        ["apache/mod/core.html", "apache/mod/quickreference.html"],
        "LimitRequestBody 1073741824",
        "LimitRequestBody bytes 1073741824",
      ),
    ],
  },
  {
    text: "What should be used nowadays in place of HTTP/2 server push?",
    facts: [factOn(["apache/howto/http2.html", "apache/mod/mod_http2.html"], "Early Hints")],
  },
  {
    text: "which hash does htpasswd use by default at present",
    facts: [fact("apache/programs/htpasswd.html", "MD5 hashing for passwords. This is the default")],
  },
  {
    text: "which init system has Debian by default these days?",
    facts: [
      factOn(
        [...RELEASES, "handbook/unix-services.html"],
        "systemd init system as default",
        "systemd replaced sysvinit",
        "only become the default in Debian Jessie",
        "boot system used by default in Debian since Buster (as implemented by the systemd package)",
      ),
    ],
  },
  {
    text: "Which version of the Filesystem Hierarchy Standard does the policy follow now?",
    facts: [fact("policy/policy.html/ch-opersys.html", "Filesystem Hierarchy Standard (FHS), version 3.0")],
  },
  {
    text: "what is the present packet filter framework of Debian, iptables or something newer",
    facts: [
      fact(
        "handbook/sect.firewall-packet-filtering.html",
        "the nftables framework is used by default",
        "being replaced by nftables",
      ),
    ],
  },
  {
    text: "latest version of GnuCash that this guide names, and the Windows versions it runs on",
    facts: [fact("gnucash/oview-features1.html", "Windows 7 and later")],
  },
]
