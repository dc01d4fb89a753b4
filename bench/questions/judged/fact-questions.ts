import { fact, factOn, type JudgedQuestion } from "./judged-question.ts"

/** One fact answers each: a number, a name, a definition, a row of a table, an item of a list, a reason. */
export const FACT_QUESTIONS: readonly JudgedQuestion[] = [
  {
    text: "How many seconds does Apache keep an idle keep-alive connection open by default?",
    facts: [
      factOn(
        ["apache/mod/core.html", "apache/mod/quickreference.html", "apache/misc/perf-tuning.html"],
        "KeepAliveTimeout 5",
        "default KeepAliveTimeout of 5 seconds",
        "KeepAliveTimeout num[ms] 5",
      ),
    ],
  },
  {
    text: "which MPM does Apache take on Windows if I choose none",
    facts: [factOn(["apache/mpm.html"], "Windows mpm_winnt")],
  },
  {
    text: "default MPM on a system that has both threads and thread-safe polling",
    facts: [fact("apache/mpm.html", "the default MPM is event", "default will almost always be event")],
  },
  {
    text: "What becomes of requests that are being served when httpd gets a TERM signal?",
    facts: [fact("apache/stopping.html", "Any requests in progress are terminated")],
  },
  {
    text: "how much faster do pages with many images get with KeepAlive",
    facts: [fact("apache/mod/core.html", "almost 50% speedup")],
  },
  {
    text: "What was the limit for request bodies in Apache 2.4.50 unless configured otherwise?",
    facts: [fact("apache/mod/core.html", "2.4.53 and earlier, the default value was 0 (unlimited)")],
  },
  {
    text: "what is a certificate signing request",
    facts: [fact("apache/glossary.html", "unsigned certificate for submission to a Certification Authority")],
  },
  {
    text: "Which virtual host answers a request whose host name matches none of them?",
    facts: [
      factOn(
        ["apache/vhosts/name-based.html", "apache/vhosts/details.html", "apache/mod/core.html"],
        "the first listed virtual host",
        "first vhost in the list",
        "first name-based vhost in the configuration file for a given IP:port pair",
      ),
    ],
  },
  {
    text: "what are the two reasons for putting configuration into the main file and not into .htaccess",
    facts: [fact("apache/howto/htaccess.html", "performance and security")],
  },
  {
    text: "HTTP status of a Redirect directive without a status argument",
    facts: [
      fact(
        "apache/mod/mod_alias.html",
        '"temporary" (HTTP status 302)',
        "temporary redirect status (302). This is the default",
      ),
    ],
  },
  {
    text: "MIME type: what does that mean?",
    facts: [fact("apache/glossary.html", "A way to describe the kind of document being transmitted")],
  },
  {
    text: "which range of user ids is for system users that are allocated dynamically?",
    facts: [fact("policy/policy.html/ch-opersys.html", "100-999")],
  },
  {
    text: "uid of nobody in Debian",
    facts: [fact("policy/policy.html/ch-opersys.html", "65534")],
  },
  {
    text: "What does it mean for a package to be essential?",
    facts: [
      fact(
        "policy/policy.html/ch-binary.html",
        "minimal set of functionality that must be available and usable on the system at all times",
      ),
    ],
  },
  {
    text: "in which file does a Debian package carry its licence",
    facts: [
      factOn(
        ["policy/policy.html/ch-archive.html", "policy/policy.html/ch-docs.html"],
        "/usr/share/doc/PACKAGE/copyright",
      ),
    ],
  },
  {
    text: "how long may the one-line synopsis of a package be",
    facts: [fact("policy/policy.html/ch-binary.html", "under 80 characters")],
  },
  {
    text: "What maintainer is set for a package that nobody maintains any longer?",
    facts: [fact("policy/policy.html/ch-binary.html", "Debian QA Group")],
  },
  {
    text: "which epoch does a version number have when none is written",
    facts: [fact("policy/policy.html/ch-controlfields.html", "zero is assumed")],
  },
  {
    text: "why is it a bad idea to remove packages of priority required?",
    facts: [fact("policy/policy.html/ch-archive.html", "may cause your system to become totally broken")],
  },
  {
    text: "Who wrote the Debian policy manual in the beginning, and in which year?",
    facts: [fact("policy/policy.html/ch-scope.html", "initially written in 1996 by Ian Jackson")],
  },
  {
    text: "how many fields has a line in /etc/crontab",
    facts: [
      factOn(
        ["policy/policy.html/ch-opersys.html", "handbook/sect.task-scheduling-cron-atd.html"],
        "have seven fields",
        "six (or seven) following fields",
      ),
    ],
  },
  {
    text: "to which directory must the home of a user be set who should have none",
    facts: [fact("policy/policy.html/ch-opersys.html", "/nonexistent")],
  },
  {
    text: "How many drives can a RAID-6 array lose without losing data?",
    facts: [fact("handbook/advanced-administration.html", "up to two drives")],
  },
  {
    text: "what is the sticky bit of a directory good for",
    facts: [
      fact("handbook/sect.rights-management.html", "restricts deletion of files so that only their owner"),
    ],
  },
  {
    text: "how much RAM does an installation of Debian need at the least",
    facts: [fact("handbook/installation.html", "256 MB of RAM")],
  },
  {
    text: "How long must a package have been in Unstable before it may move to Testing?",
    facts: [fact("handbook/sect.release-lifecycle.html", "at least 5 days spent in Unstable")],
  },
  {
    text: "after an upload, when do all mirrors have the new package",
    facts: [fact("handbook/sect.release-lifecycle.html", "within six hours")],
  },
  {
    text: "which ports must a firewall let through for NFS 4",
    facts: [fact("handbook/sect.nfs-file-server.html", "2049")],
  },
  {
    text: "size of the Master Boot Record",
    facts: [fact("handbook/sect.config-bootloader.html", "first 512 bytes")],
  },
  {
    text: "What majority do developers need to amend the foundation documents of Debian?",
    facts: [
      factOn(
        ["handbook/sect.foundation-documents.html", "handbook/sect.debian-internals.html"],
        "three-quarter qualified majority",
        "three quarters (75%)",
      ),
    ],
  },
  {
    text: "which mail server did the administrators of Falcot Corp choose and why",
    facts: [
      fact("handbook/network-services.html", "selected Postfix…reliability and its ease of configuration"),
    ],
  },
  {
    text: "By how much does nice lower a program's priority when no level is given?",
    facts: [
      fact("handbook/sect.asynchronous-task-scheduling-anacron.html", "increases the current level by 10"),
    ],
  },
  {
    text: "what is cost basis",
    facts: [fact("gnucash/gnc-gloss.html", "original cost of property, adjusted for various factors")],
  },
  {
    text: "after how many days does GnuCash throw old backup files away?",
    facts: [fact("gnucash/basics-backup1.html", "older than 30 days")],
  },
  {
    text: "What is the accounting equation, with income and expenses in it?",
    facts: [
      factOn(
        ["gnucash/basics-accounting1.html", "gnucash/chapter_accts.html"],
        "Assets - Liabilities = Equity + (Income - Expenses)",
      ),
    ],
  },
  {
    text: "a share costs $100 and pays $2 of dividends a year, what is its yield",
    facts: [factOn(["gnucash/gnc-gloss.html", "gnucash/invest_concepts1.html"], "has a yield of 2%")],
  },
  {
    text: "how many types of accounts are there in GnuCash",
    facts: [fact("gnucash/chapter_accts.html", "total of 12 account types", "12 account types")],
  },
  {
    text: "What does a c in the R column of the register mean?",
    facts: [fact("gnucash/chapter_txns.html", "c indicates that it has been cleared, but not reconciled")],
  },
  {
    text: "salvage value of an asset, what is meant by it",
    facts: [
      fact("gnucash/dep_concepts1.html", "value that you estimate the asset can be sold for at the end of"),
    ],
  },
  {
    text: "which remaining value has a computer of $1500 after 3 years of linear depreciation over 5 years?",
    facts: [fact("gnucash/dep_value1.html", "3 300 600")],
  },
  {
    text: "when was Debian founded, and by whom?",
    facts: [
      factOn(
        ["history/intro.en.html", "history/detailed.en.html", "history/leaders.en.html"],
        "officially founded by Ian Murdock on August 16th, 1993",
        "begun in August 1993 by Ian Murdock",
        "Ian Murdock founded Debian in August 1993",
        "started the Debian Project in August of 1993",
      ),
    ],
  },
  {
    text: "where does the name Debian come from",
    facts: [fact("history/intro.en.html", "Ian Murdock, and his wife, Debra")],
  },
  {
    text: "In which city was the first DebConf?",
    facts: [fact("history/detailed.en.html", "Debconf0, took place in Bordeaux")],
  },
  {
    text: "code name of Debian 3.1",
    facts: [
      factOn(
        ["history/releases.en.html", "history/detailed.en.html"],
        "Debian 3.1 Sarge",
        "Debian 3.1 (sarge)",
      ),
    ],
  },
  {
    text: "why did Debian never publish a release 1.0?",
    facts: [
      factOn(
        ["history/releases.en.html", "history/detailed.en.html"],
        "InfoMagic, a CD vendor, accidentally shipped a development release",
        "CD-ROM manufacturer mistakenly labelled an unreleased version as Debian 1.0",
      ),
    ],
  },
  {
    text: "who was project leader of Debian in the summer of 2001",
    facts: [fact("history/leaders.en.html", "Ben Collins led Debian from April 2001")],
  },
]
