import { fact, factOn, type JudgedQuestion } from "./judged-question.ts"

/** A yes or a no answers each, and the sentence that says so; of some the heading or the term before it turns the meaning. */
export const YES_NO_QUESTIONS: readonly JudgedQuestion[] = [
  {
    text: "May a Debian package install files into /usr/local?",
    facts: [fact("policy/policy.html/ch-opersys.html", "packages must not place any files in /usr/local")],
  },
  {
    text: "is a package allowed to change /etc/crontab",
    facts: [
      fact("policy/policy.html/ch-opersys.html", "must not modify the configuration file /etc/crontab"),
    ],
  },
  {
    text: "can the copyright file of a package be gzipped?",
    facts: [fact("policy/policy.html/ch-docs.html", "must neither be compressed nor be a symbolic link")],
  },
  {
    text: "two packages with different programs of the same name, is that OK",
    facts: [
      fact(
        "policy/policy.html/ch-files.html",
        "must not install programs with different functionality but with the same filenames",
      ),
    ],
  },
  {
    text: "Can a package in main depend on one in non-free?",
    facts: [
      fact("policy/policy.html/ch-archive.html", "must not require or recommend a package outside of main"),
    ],
  },
  {
    text: "do packages of the contrib area belong to the Debian distribution",
    facts: [
      fact(
        "policy/policy.html/ch-archive.html",
        "not considered to be part of the Debian distribution",
        "Only the packages in this area are considered part of the distribution",
      ),
    ],
  },
  {
    text: "must a program that asks its users for donations go into non-free?",
    facts: [
      fact(
        "policy/policy.html/ch-archive.html",
        "encourage the user to make donations are fine for the main distribution",
      ),
    ],
  },
  {
    text: "Is csh a good choice for scripts in a package?",
    facts: [fact("policy/policy.html/ch-files.html", "csh and tcsh should be avoided")],
  },
  {
    text: "may I give a user the uid 65535",
    facts: [fact("policy/policy.html/ch-opersys.html", "65535…must not be used")],
  },
  {
    text: "are footnotes in the policy manual binding",
    facts: [
      fact("policy/policy.html/ch-scope.html", "footnotes present in this manual are merely informative"),
    ],
  },
  {
    text: "Does Apache read .htaccess files out of the box?",
    facts: [fact("apache/howto/htaccess.html", ".htaccess files are completely ignored unless")],
  },
  {
    text: "can worker and prefork both be loaded into one server",
    facts: [
      fact(
        "apache/mpm.html",
        "one and only one MPM must be loaded",
        "more than one MPM will result in a startup failure",
      ),
    ],
  },
  {
    text: "Is digest authentication much safer than basic authentication?",
    facts: [fact("apache/mod/mod_auth_digest.html", "does not lead to a significant security advantage")],
  },
  {
    text: "I put Require valid-user into <Limit POST>. Is GET protected too?",
    facts: [
      fact(
        "apache/mod/core.html",
        "For all other methods, the access restrictions…will have no effect",
        "leaving all other methods unprotected",
      ),
    ],
  },
  {
    text: "does a graceful restart set the counters of mod_status back to zero",
    facts: [fact("apache/stopping.html", "not set to zero when a USR1 is sent")],
  },
  {
    text: "should HostnameLookups be on to have names in the access log?",
    facts: [
      factOn(
        ["apache/logs.html", "apache/mod/core.html", "apache/misc/perf-tuning.html"],
        "not recommended since it can significantly slow the server",
        "significantly slow the server",
        "This adds latency to every request",
        "save the network traffic for those sites that don't truly need the reverse lookups",
      ),
    ],
  },
  {
    text: "Is suEXEC part of a default installation of Apache?",
    facts: [fact("apache/suexec.html", "NOT make suEXEC part of the default installation")],
  },
  {
    text: "may the log directory be writable for ordinary users",
    facts: [
      factOn(
        ["apache/logs.html", "apache/misc/security_tips.html"],
        "Do NOT give people write access to the directory the logs are stored in",
        "If the logs directory is writable (by a non-root user)",
        "can almost certainly gain access to the uid",
      ),
    ],
  },
  {
    text: "can a hard link point to a file on another filesystem",
    facts: [fact("handbook/sect.backup.html", "Hard links can only be created on the same filesystem")],
  },
  {
    text: "Does KVM run on every computer?",
    facts: [
      fact(
        "handbook/sect.virtualization.html",
        "KVM doesn't work on any computer but only on those with appropriate processors",
      ),
    ],
  },
  {
    text: "could I boot another kernel in an LXC container than the host has",
    facts: [
      fact(
        "handbook/sect.virtualization.html",
        "impossibility to run a different kernel in a container",
        "uses the very same kernel as the host",
      ),
    ],
  },
  {
    text: "Is RAID-0 any protection against the failure of a disk?",
    facts: [
      fact(
        "handbook/advanced-administration.html",
        "This level doesn't provide any redundancy",
        "This system doesn't aim at increasing reliability",
      ),
    ],
  },
  {
    text: "are packages moved from Experimental to Unstable automatically",
    facts: [fact("handbook/sect.release-lifecycle.html", "its packages never migrate to another version")],
  },
  {
    text: "is OpenOffice available in Debian?",
    facts: [fact("handbook/sect.office-suites.html", "not currently available in Debian")],
  },
  {
    text: "can GnuCash work out payroll taxes for me",
    facts: [
      fact(
        "gnucash/bus_payroll.html",
        "does not have an integrated payroll system",
        "calculation of taxes and deductions has to be done outside",
      ),
    ],
  },
  {
    text: "Can two people edit the same GnuCash database at once if it is on PostgreSQL?",
    facts: [
      fact("gnucash/basics-files1.html", "does not currently implement these features", "Multi-user No"),
    ],
  },
  {
    text: "do I have to reconcile my income and expense accounts",
    facts: [fact("gnucash/cbook-reconacct1.html", "Income and expense accounts are usually not reconciled")],
  },
  {
    text: "Is paying the credit card bill an expense?",
    facts: [fact("gnucash/cc-concepts1.html", "it really is not an expense")],
  },
  {
    text: "was the FreeBSD port part of Debian 5.0",
    facts: [fact("history/releases.en.html", "This release did not feature the FreeBSD port")],
  },
  {
    text: "Were Debian's packages tampered with when its servers were broken into in 2003?",
    facts: [fact("history/detailed.en.html", "package archive was not affected")],
  },
]
