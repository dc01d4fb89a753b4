import { factOn, type JudgedTask, type TaskPart } from "./judged-question.ts"

const part = (about: string, on: readonly string[], ...says: readonly string[]): TaskPart => ({
  about,
  ...factOn(on, ...says),
})

const CONTROL = "handbook/sect.package-meta-information.html"
const CRON = "handbook/sect.task-scheduling-cron-atd.html"
const ANACRON = "handbook/sect.asynchronous-task-scheduling-anacron.html"
const HISTORY = "history/detailed.en.html"
const LEADERS = "history/leaders.en.html"
const RELEASES = "history/releases.en.html"
const LIFECYCLE = "handbook/sect.release-lifecycle.html"
const RAID = "handbook/advanced-administration.html"
const RELATIONSHIPS = "policy/policy.html/ch-relationships.html"
const VIRTUALIZATION = "handbook/sect.virtualization.html"

/** Tasks of one to three clauses, several with a pronoun for their subject; two have no answer. */
export const JUDGED_TASKS: readonly JudgedTask[] = [
  {
    input:
      "How does a package get from Unstable into a stable release of Debian, what is the freeze, and for how long is it supported afterwards?",
    parts: [
      part(
        "criteria of Testing",
        [LIFECYCLE],
        "at least 5 days spent in Unstable",
        "chosen according to some quantifiable criteria",
        "successful compilation on all officially supported architectures",
      ),
      part("Stable", [LIFECYCLE], "simple copy of Testing at a moment chosen"),
      part("freeze", [LIFECYCLE], "During the freeze period", "previously announced a freeze period"),
      part(
        "support",
        [LIFECYCLE, "handbook/sect.why-debian.html"],
        "expected lifetime of about 5 years",
        "at least 5 years of support",
        "roughly to three years of support",
        "supported for 5 years",
      ),
    ],
  },
  {
    input:
      "Which RAID levels are there, how many failed disks does each of them survive, and what does LVM do that they do not?",
    parts: [
      part("no redundancy", [RAID], "doesn't provide any redundancy"),
      part(
        "mirror",
        [RAID],
        "Data are stored identically on both disks",
        "stays available even with N-1 disk failures",
      ),
      part("RAID-5", [RAID], "up to one failed disk", "parity blocks are spread"),
      part("RAID-6", [RAID], "up to two drives"),
      part(
        "LVM",
        [RAID],
        "increasing flexibility rather than increasing reliability",
        "add new disks, migrate the data to them",
        "makes volume management more flexible",
      ),
    ],
  },
  {
    input: "Compare Apache's event, worker and prefork MPMs, and say which one is the default",
    parts: [
      part(
        "event",
        ["apache/mod/event.html"],
        "consuming threads only for connections with active processing",
        "passing off some processing work to the listeners threads",
        "fix the 'keep alive problem'",
      ),
      part(
        "worker",
        ["apache/mod/worker.html", "apache/mod/event.html"],
        "hybrid multi-process multi-threaded",
        "hybrid multi-threaded multi-process",
        "fixed number of server threads",
      ),
      part("prefork", ["apache/mod/prefork.html"], "non-threaded, pre-forking web server"),
      part(
        "default",
        ["apache/mpm.html"],
        "the default MPM is event",
        "default will almost always be event",
        "depending on platform capabilities",
      ),
    ],
  },
  {
    input:
      "How does a Debian package declare which others it needs, and what may it declare about those that it cannot live with?",
    parts: [
      part(
        "Depends",
        [RELATIONSHIPS, CONTROL],
        "list of conditions to be met for the package to work correctly",
        "absolute dependency",
        "significant amount of functionality",
      ),
      part(
        "weaker ones",
        [RELATIONSHIPS, CONTROL],
        "considerably improve the functionality offered by the package",
        "strong, but not absolute, dependency",
        "one package may be more useful with one or more others",
      ),
      part(
        "Breaks",
        [RELATIONSHIPS, CONTROL],
        'signals that the installation of a package will "break" another package',
        "refuse to allow the package which declares Breaks",
        "allows both packages to be unpacked at the same time",
      ),
      part(
        "Conflicts",
        [RELATIONSHIPS, CONTROL],
        "a package cannot be installed simultaneously with another",
        "refuse to allow them to be unpacked on the system at the same time",
        "Conflicts imposes a stronger restriction",
      ),
    ],
  },
  {
    input:
      "What is depreciation, which schemes can one choose from, and how does it differ between a business and personal finances?",
    parts: [
      part(
        "what it is",
        ["gnucash/dep_concepts1.html"],
        "accounting method for expensing capital purchases over time",
      ),
      part("linear", ["gnucash/dep_value1.html"], "by a fixed amount each period"),
      part("geometric", ["gnucash/dep_value1.html"], "by a fixed percentage of the asset value"),
      part("sum of digits", ["gnucash/dep_value1.html"], "Sum of digits is a front-weighted"),
      part(
        "personal",
        ["gnucash/dep_concepts1.html"],
        "Depreciation for personal finance has no tax implications",
        "accurate estimation of your current net worth",
      ),
      part(
        "business",
        ["gnucash/dep_concepts1.html"],
        "matching the expense of purchasing capital assets with the revenue",
        "business is free to choose whatever scheme",
        "Businesses must also be concerned with local tax laws",
      ),
    ],
  },
  {
    input:
      "How are shares bought and sold in GnuCash: how are commissions entered, and how are the gains worked out?",
    parts: [
      part("gross pricing", ["gnucash/invest-buy-stock1.html"], "price not adjusted by commissions"),
      part("net pricing", ["gnucash/invest-buy-stock1.html"], "net price (adjusted by commissions)"),
      part(
        "gains by hand",
        ["gnucash/invest-sell1.html"],
        "2 ways of manually recording the capital gain",
        "combined with the sale in one transaction",
      ),
      part(
        "gains by lots",
        ["gnucash/invest-sell1.html"],
        "built-in lot management facility",
        "automatically calculate and create security sale capital gain",
        "First In/ First Out (FIFO) cost method",
      ),
    ],
  },
  {
    input:
      "How do managed PostgreSQL offerings of the large clouds compare in price, and what do they charge for backups?",
    parts: null,
  },
  {
    input:
      "What did shareholders get for their shares in the merger of Red Hat and Ubuntu, and when was it approved?",
    parts: null,
  },
  {
    input:
      "When should .htaccess files be used, what do they cost, and how can an administrator restrict what they may contain?",
    parts: [
      part(
        "when",
        ["apache/howto/htaccess.html"],
        "do not have root access on the server system",
        "you should put all of your configuration there instead",
      ),
      part(
        "cost",
        ["apache/howto/htaccess.html", "apache/misc/perf-tuning.html"],
        "Apache will attempt to open .htaccess for each",
        "causes a performance hit",
        "loaded every time a document is requested",
        "4 additional file-system accesses",
        "will look in every directory",
      ),
      part(
        "restriction",
        ["apache/howto/htaccess.html", "apache/mod/core.html"],
        "AllowOverrideList",
        "AllowOverride specifies, in categories",
      ),
    ],
  },
  {
    input:
      "AppArmor versus SELinux: how does each decide what a program may do, and how are they set up on Debian?",
    parts: [
      part(
        "AppArmor decides",
        ["handbook/sect.apparmor.html"],
        "applies a set of rules (known as…profile",
        "depends on the installation path of the program",
        "the rules applied do not depend on the user",
      ),
      part(
        "SELinux decides",
        ["handbook/sect.selinux.html"],
        "rights of a process depend on its security context",
        "set of rules — collectively known as a policy",
        "to authorize or forbid operations",
      ),
      part(
        "AppArmor set up",
        ["handbook/sect.apparmor.html"],
        "apt install apparmor",
        "Enabling AppArmor is thus just a matter of installing some packages",
      ),
      part(
        "SELinux set up",
        ["handbook/sect.selinux.html"],
        "apt install selinux-basics",
        "selinux-activate",
        "fixfiles relabel",
        "selinux=1 security=selinux",
      ),
    ],
  },
  {
    input: "How did Debian begin, who led it in its first ten years, and which releases did they bring out?",
    parts: [
      part(
        "beginning",
        [HISTORY, LEADERS, "history/intro.en.html"],
        "founded by Ian Murdock on August 16th, 1993",
        "begun in August 1993 by Ian Murdock",
        "Ian Murdock founded Debian in August 1993",
      ),
      part(
        "Perens",
        [HISTORY, LEADERS],
        "Bruce Perens led Debian from April 1996",
        "appointed Bruce Perens as the next leader",
      ),
      part(
        "Jackson and Akkerman",
        [HISTORY, LEADERS],
        "Ian Jackson led Debian",
        "Ian Jackson became the Leader",
        "Wichert Akkerman led Debian",
        "Wichert Akkerman succeeded Ian Jackson",
      ),
      part(
        "Collins, Garbee, Michlmayr",
        [HISTORY, LEADERS],
        "Ben Collins led Debian",
        "Bdale Garbee led Debian",
        "Martin Michlmayr led Debian",
        "Ben Collins (in 2001)",
      ),
      part(
        "releases 1.x",
        [HISTORY, RELEASES],
        "first Debian release with a code name",
        "1.1 Buzz released June 1996",
        "Debian 1.1 Buzz",
      ),
      part(
        "releases 2.x and 3.0",
        [HISTORY, RELEASES],
        "Debian 2.0 Hamm",
        "Debian 2.0 (Hamm)",
        "Debian 2.1",
        "Debian 2.2",
        "Debian 3.0",
      ),
    ],
  },
  {
    input:
      "How do I protect an Apache server against denial of service, against wrong permissions on its files, and against careless CGI scripts?",
    parts: [
      part(
        "denial of service",
        ["apache/misc/security_tips.html"],
        "RequestReadTimeout directive allows you to limit",
        "should be lowered on sites that are subject to DoS attacks",
        "most effective anti-DoS tool will be a firewall",
      ),
      part(
        "permissions",
        ["apache/misc/security_tips.html"],
        "protected from modification by non-root users",
        "open your system to root compromises",
        "only modifiable by root",
      ),
      part(
        "CGI",
        ["apache/misc/security_tips.html", "apache/suexec.html"],
        "must trust the writers of the CGI scripts",
        "allow scripts to run as different users is suEXEC",
        "Limiting CGI to special directories",
        "reduce considerably the security risks",
      ),
    ],
  },
  {
    input:
      "What happens to httpd at each of the signals that stop or restart it, and how are its logs rotated without losing requests?",
    parts: [
      part(
        "TERM",
        ["apache/stopping.html"],
        "immediately attempt to kill off all of its children",
        "Any requests in progress are terminated",
      ),
      part("USR1", ["apache/stopping.html"], "children to exit after their current request"),
      part("HUP", ["apache/stopping.html"], "kill off its children like in TERM"),
      part(
        "WINCH",
        ["apache/stopping.html"],
        "remove its PidFile and cease listening on all ports",
        "WINCH or graceful-stop signal",
      ),
      part(
        "logs",
        ["apache/logs.html", "apache/stopping.html", "apache/programs/rotatelogs.html"],
        "reopen its log files after the old ones are moved aside",
        "suitable delay after sending the USR1",
        "rotatelogs",
        "piped log",
      ),
    ],
  },
  {
    input:
      "How are jobs scheduled on Debian: recurring ones, those that run once, and on a machine that is often switched off?",
    parts: [
      part("cron", [CRON], "scheduled and recurring commands", "crontab -e"),
      part("at", [CRON], "commands to be executed a single time"),
      part(
        "anacron",
        [ANACRON],
        "computers that are not on at all times",
        "periods in which the computer is not working",
      ),
    ],
  },
  {
    input:
      "Which types of accounts does GnuCash know, how do debits and credits change them, and how are they reconciled with a bank statement?",
    parts: [
      part(
        "types",
        ["gnucash/chapter_accts.html", "gnucash/basics-accounting1.html"],
        "12 account types",
        "5 basic account types",
        "5 fundamental types",
      ),
      part(
        "debits and credits",
        ["gnucash/chapter_accts.html", "gnucash/basics-accounting1.html"],
        "In asset and expense accounts, debits increase the balance",
        "increased by debit entries",
        "Debits and credits each increase certain types of accounts",
        "credits (right-column value entries) increase liability",
      ),
      part(
        "reconciliation",
        ["gnucash/chapter_txns.html", "gnucash/cbook-reconacct1.html", "gnucash/gnc-gloss.html"],
        "known as reconciliation",
        "verification process in which the user compares",
        "to use the reconciliation windows",
        "used to reconcile a GnuCash account with a statement",
        "main reconciliation task",
      ),
    ],
  },
  {
    input:
      "What do the Debian Free Software Guidelines demand of a licence, and how do they divide the archive?",
    parts: [
      part(
        "redistribution",
        ["policy/policy.html/ch-archive.html", "handbook/sect.foundation-documents.html"],
        "may not restrict any party from selling or giving away",
      ),
      part(
        "source and derived works",
        ["policy/policy.html/ch-archive.html", "handbook/sect.foundation-documents.html"],
        "program must include source code",
        "must allow modifications and derived works",
      ),
      part(
        "discrimination",
        ["policy/policy.html/ch-archive.html", "handbook/sect.foundation-documents.html"],
        "must not discriminate against any person",
        "specific field of endeavor",
      ),
      part(
        "main",
        ["policy/policy.html/ch-archive.html"],
        "Every package in main must comply with the DFSG",
        "main archive area comprises the Debian distribution",
        "main archive area forms the Debian distribution",
      ),
      part(
        "contrib and non-free",
        ["policy/policy.html/ch-archive.html"],
        "do not comply with the DFSG",
        "not compliant with the DFSG",
        "require software outside of the distribution",
      ),
    ],
  },
  {
    input: "Compare Xen, LXC and KVM for running several systems on one server",
    parts: [
      part(
        "Xen",
        [VIRTUALIZATION],
        "Xen is a…paravirtualization",
        "hypervisor is the lowest layer",
        "systems run close to native speed",
      ),
      part(
        "LXC",
        [VIRTUALIZATION],
        "isolate groups of processes from each other",
        "there is no second kernel",
        "impossibility to run a different kernel",
      ),
      part(
        "KVM",
        [VIRTUALIZATION],
        "kernel module providing most of the infrastructure",
        "only on those with appropriate processors",
        "instruction sets dedicated to virtualization",
      ),
    ],
  },
  {
    input:
      "Name-based and IP-based virtual hosts: how do they differ, how does the server choose one for a request, and how do they get on with TLS?",
    parts: [
      part(
        "IP-based",
        ["apache/vhosts/name-based.html", "apache/vhosts/ip-based.html"],
        "separate IP address for each host",
        "use the IP address of the connection to determine",
        "must have a different IP address/port combination",
      ),
      part(
        "name-based",
        ["apache/vhosts/name-based.html"],
        "many different hosts can share the same IP address",
        "report the hostname as part of the HTTP headers",
      ),
      part(
        "choice",
        ["apache/vhosts/name-based.html", "apache/vhosts/details.html"],
        "first vhost in the list",
        "best (most specific) matching",
        "first listed virtual host",
        "first step in name-based virtual host resolution is IP-based",
      ),
      part(
        "TLS",
        ["apache/ssl/ssl_faq.html", "apache/mod/mod_ssl.html", "apache/vhosts/details.html"],
        "Server Name Indication",
        "browser also supports SNI",
        "wildcard SSL certificate",
      ),
    ],
  },
  {
    input:
      "What must a Debian package do with its configuration files, its documentation and its copyright notice?",
    parts: [
      part(
        "configuration",
        ["policy/policy.html/ch-files.html"],
        "must reside in /etc",
        "local changes must be preserved during a package upgrade",
        "only deleted when the package is purged",
      ),
      part(
        "documentation",
        ["policy/policy.html/ch-docs.html"],
        "should be installed under /usr/share/doc/package",
        "should have an associated manual page",
        "compressed with gzip -9",
        "compressed using gzip -9",
      ),
      part(
        "copyright",
        ["policy/policy.html/ch-docs.html", "policy/policy.html/ch-archive.html"],
        "verbatim copy of its distribution license",
      ),
    ],
  },
  {
    input:
      "How does the Falcot company back up its servers and desktops, and what does GnuCash do by itself so that no entry is lost?",
    parts: [
      part(
        "servers",
        ["handbook/sect.backup.html"],
        "rsync command…is used daily to back up",
        "backed up on hard drives on a dedicated server",
        "duplication of the content of the previous backup with hard links",
      ),
      part(
        "desktops",
        ["handbook/sect.backup.html"],
        "Desktop computers are not backed up individually",
        "Desktop computers, which are not backed up, will be easy to reinstall",
      ),
      part(
        "backup copies of GnuCash",
        ["gnucash/basics-backup1.html"],
        "a backup copy will also be saved",
        "complete copy of your previous data file",
      ),
      part(
        "logs of GnuCash",
        ["gnucash/basics-backup1.html"],
        "creates a log file of changes",
        "using this log file",
        "Log replaying will recover any transaction",
      ),
    ],
  },
]
