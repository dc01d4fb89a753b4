import { fact, factOn, type JudgedQuestion } from "./judged-question.ts"

const RAID = "handbook/advanced-administration.html"
const VIRTUALIZATION = "handbook/sect.virtualization.html"
const LIFECYCLE = "handbook/sect.release-lifecycle.html"
const RELATIONSHIPS = "policy/policy.html/ch-relationships.html"
const CONTROL = "handbook/sect.package-meta-information.html"
const ARCHIVE = "policy/policy.html/ch-archive.html"
const INVESTMENT_TERMS = ["gnucash/invest_concepts1.html", "gnucash/gnc-gloss.html"]

/** Two or three things side by side: a fact for each, in the order in which the question names them. */
export const COMPARISON_QUESTIONS: readonly JudgedQuestion[] = [
  {
    text: "RAID-5 or RAID-6: which one survives more failed disks?",
    facts: [fact(RAID, "functional with up to one failed disk"), fact(RAID, "up to two drives")],
  },
  {
    text: "How do RAID-0, RAID-1 and RAID-5 differ?",
    facts: [
      fact(RAID, "doesn't provide any redundancy either", "divided in stripes", "increasing performance"),
      fact(RAID, "Data are stored identically on both disks", "RAID mirroring"),
      fact(RAID, "parity blocks are spread over all of the N+1 disks", "up to one failed disk"),
    ],
  },
  {
    text: "cron versus anacron",
    facts: [
      fact(
        "handbook/sect.task-scheduling-cron-atd.html",
        "cron is the daemon responsible for executing scheduled and recurring commands",
      ),
      fact(
        "handbook/sect.asynchronous-task-scheduling-anacron.html",
        "computers that are not on at all times",
        "periods in which the computer is not working",
      ),
    ],
  },
  {
    text: "what is the difference between cron and atd",
    facts: [
      fact("handbook/sect.task-scheduling-cron-atd.html", "scheduled and recurring commands"),
      fact("handbook/sect.task-scheduling-cron-atd.html", "commands to be executed a single time"),
    ],
  },
  {
    text: "Hard links compared with symbolic links: which of them can cross filesystems?",
    facts: [
      fact("handbook/sect.backup.html", "Hard links can only be created on the same filesystem"),
      fact("handbook/sect.backup.html", "symbolic links are not subject to this limitation"),
    ],
  },
  {
    text: "AppArmor or SELinux: with which do the rules depend on the user?",
    facts: [
      fact(
        "handbook/sect.apparmor.html",
        "the rules applied do not depend on the user",
        "All users face the same set of rules",
      ),
      fact(
        "handbook/sect.selinux.html",
        "identity of the user who started the process",
        "depend on its security context",
      ),
    ],
  },
  {
    text: "how do Xen, LXC and KVM differ",
    facts: [
      fact(VIRTUALIZATION, "paravirtualization", 'layer, called a "hypervisor"'),
      fact(
        VIRTUALIZATION,
        "isolate groups of processes from each other",
        "there is no second kernel",
        "very same kernel as the host",
      ),
      fact(
        VIRTUALIZATION,
        "kernel module providing most of the infrastructure",
        "instruction sets dedicated to virtualization",
      ),
    ],
  },
  {
    text: "soft and hard limits of a disk quota, what is the difference?",
    facts: [
      fact("handbook/sect.quotas.html", "limit can be temporarily exceeded"),
      fact("handbook/sect.quotas.html", "limit can never be exceeded"),
    ],
  },
  {
    text: "apt remove vs apt purge",
    facts: [
      fact("handbook/sect.apt-get.html", "apt remove package"),
      fact("handbook/sect.apt-get.html", "complete uninstallation by deleting the configuration files"),
    ],
  },
  {
    text: "Should I use apt or apt-get in a script?",
    facts: [
      fact("handbook/sect.apt-get.html", "reserve the right to change the public interface of this tool"),
      fact(
        "handbook/sect.apt-get.html",
        "will not change in any backwards incompatible way",
        "use when you need to script",
      ),
    ],
  },
  {
    text: "GNOME, KDE Plasma and Xfce: which graphical toolkit does each of them use?",
    facts: [
      factOn(
        ["handbook/sect.graphical-desktops.html", LIFECYCLE],
        "GNOME has chosen GTK+",
        "GNOME was started based on the GTK+",
        "Like GNOME, Xfce is based on the GTK+",
      ),
      factOn(
        ["handbook/sect.graphical-desktops.html", LIFECYCLE],
        "chose the Qt graphical toolkit",
        "KDE community has selected Qt",
      ),
      factOn(["handbook/sect.graphical-desktops.html"], "Xfce is based on the GTK+"),
    ],
  },
  {
    text: "what distinguishes Unstable, Testing and Stable",
    facts: [
      fact(LIFECYCLE, "more concerned with having up-to-date packages", "cutting edge"),
      fact(
        LIFECYCLE,
        "group of Unstable packages chosen according to some quantifiable criteria",
        "good compromise between",
      ),
      fact(LIFECYCLE, "simple copy of Testing at a moment chosen by the Release Manager"),
    ],
  },
  {
    text: "Is there a difference between Conflicts and Breaks in a control file?",
    facts: [
      factOn(
        [RELATIONSHIPS, CONTROL],
        "a package cannot be installed simultaneously with another",
        "refuse to allow them to be unpacked on the system at the same time",
        "stronger restriction than Breaks",
        "Conflicts imposes a stronger restriction",
      ),
      factOn(
        [RELATIONSHIPS, CONTROL],
        'signals that the installation of a package will "break" another package',
        "allows both packages to be unpacked at the same time",
        "refuse to allow the package which declares Breaks to be unpacked unless",
      ),
    ],
  },
  {
    text: "how do Depends, Recommends and Suggests differ?",
    facts: [
      factOn(
        [RELATIONSHIPS, CONTROL],
        "list of conditions to be met for the package to work correctly",
        "This declares an absolute dependency",
        "required for the depending package to provide a significant amount of functionality",
      ),
      factOn(
        [RELATIONSHIPS, CONTROL],
        "considerably improve the functionality offered by the package",
        "strong, but not absolute, dependency",
        "found together with this one in all but unusual installations",
      ),
      factOn(
        [RELATIONSHIPS, CONTROL],
        "perfectly reasonable to install one without the others",
        "one package may be more useful with one or more others",
        "installing this one without them is perfectly reasonable",
      ),
    ],
  },
  {
    text: "main versus contrib versus non-free",
    facts: [
      fact(
        ARCHIVE,
        "The main archive area comprises the Debian distribution",
        "main archive area forms the Debian distribution",
      ),
      fact(ARCHIVE, "require software outside of the distribution to either build or function"),
      fact(ARCHIVE, "do not comply with the DFSG", "not compliant with the DFSG"),
    ],
  },
  {
    text: 'What is the difference between "must" and "should" in the Debian policy?',
    facts: [
      fact("policy/policy.html/ch-scope.html", "denote strong requirements"),
      fact("policy/policy.html/ch-scope.html", "denote best practices"),
    ],
  },
  {
    text: "configuration file or conffile, aren't they the same?",
    facts: [
      fact(
        "policy/policy.html/ch-files.html",
        "A file that affects the operation of a program",
        "they are not interchangeable concepts",
      ),
      fact(
        "policy/policy.html/ch-files.html",
        "file listed in a package's conffiles file",
        "they are not interchangeable concepts",
      ),
    ],
  },
  {
    text: "reload or force-reload: what is the difference for an init script?",
    facts: [
      fact(
        "policy/policy.html/ch-opersys.html",
        "configuration of the service to be reloaded without actually stopping",
      ),
      fact("policy/policy.html/ch-opersys.html", "reloaded if the service supports this, otherwise restart"),
    ],
  },
  {
    text: "name-based or IP-based virtual hosts: how many addresses does each need?",
    facts: [
      fact("apache/vhosts/name-based.html", "many different hosts can share the same IP address"),
      factOn(
        ["apache/vhosts/name-based.html", "apache/vhosts/ip-based.html"],
        "separate IP address for each host",
        "must have a different IP address/port combination",
      ),
    ],
  },
  {
    text: "differences between the prefork, worker and event MPMs",
    facts: [
      factOn(["apache/mod/prefork.html"], "non-threaded, pre-forking web server"),
      factOn(
        ["apache/mod/worker.html", "apache/mod/event.html"],
        "hybrid multi-process multi-threaded",
        "hybrid multi-threaded multi-process",
      ),
      factOn(
        ["apache/mod/event.html"],
        "consuming threads only for connections with active processing",
        "passing off some processing work to the listeners threads",
        "fix the 'keep alive problem'",
      ),
    ],
  },
  {
    text: "kill -HUP and kill -USR1 on httpd: what is different?",
    facts: [
      fact("apache/stopping.html", "kill off its children like in TERM"),
      fact("apache/stopping.html", "advise the children to exit after their current request"),
    ],
  },
  {
    text: "authentication vs authorization",
    facts: [
      factOn(
        ["apache/howto/auth.html", "apache/glossary.html"],
        "verify that someone is who they claim they are",
        "positive identification of a network entity",
      ),
      fact("apache/howto/auth.html", "allowed to be where they want to go"),
    ],
  },
  {
    text: "Do I write <Directory> or <Location> to restrict access to files on disk?",
    facts: [
      fact(
        "apache/sections.html",
        "always use <Directory> or <Files>",
        "apply directives to parts of the filesystem",
      ),
      factOn(
        ["apache/sections.html", "apache/mod/core.html"],
        "never use <Location> when trying to restrict access to objects in the filesystem",
        "should not be used to control access to filesystem locations",
        "content in the webspace",
      ),
    ],
  },
  {
    text: "h2 and h2c, how do they differ",
    facts: [
      factOn(["apache/howto/http2.html"], "h2 is HTTP/2 over TLS", "secure one 'h2'"),
      factOn(
        ["apache/howto/http2.html"],
        "h2c is HTTP/2 over cleartext TCP",
        "cleartext variant is named 'h2c'",
      ),
    ],
  },
  {
    text: "linear or geometric depreciation: which takes off the same amount every year?",
    facts: [
      fact(
        "gnucash/dep_value1.html",
        "Linear depreciation diminishes the value of an asset by a fixed amount each period",
      ),
      fact("gnucash/dep_value1.html", "Geometric depreciation is depreciated by a fixed percentage"),
    ],
  },
  {
    text: "what's the difference between book depreciation and tax depreciation",
    facts: [
      factOn(
        ["gnucash/dep_concepts1.html", "gnucash/dep_value1.html"],
        "depreciation that you record in your financial statements",
        "For financial statement purposes you are free to choose",
        "free to choose whatever scheme it wants to record book depreciation",
      ),
      factOn(
        ["gnucash/dep_concepts1.html", "gnucash/dep_value1.html"],
        "depreciation that you take for income tax purposes",
        "for tax purposes, you will need to depreciate your assets at a certain rate",
        "scheme used for tax depreciation is fixed",
      ),
    ],
  },
  {
    text: "Realized and unrealized gains compared",
    facts: [
      factOn(
        [...INVESTMENT_TERMS, "gnucash/capgain_concepts1.html"],
        "purchase and selling prices of an investment",
        "the profit you earn is known as realized gains",
        "realize the gain/loss when you actually sell",
      ),
      factOn(
        [...INVESTMENT_TERMS, "gnucash/capgain_concepts1.html"],
        "between the original purchase price and the new value is known as unrealized gains",
        "between a purchase price and the current value",
        "Unrealized gain or loss occurs when you've got a change in price",
        "Before an investment is sold, the difference in value",
      ),
    ],
  },
  {
    text: "how do a cash budget, an expense budget and a capital budget differ?",
    facts: [
      fact("gnucash/budget_concepts1.html", "expected cash receipts and cash disbursements"),
      fact("gnucash/budget_concepts1.html", "chiefly for planning what you spend your money on"),
      fact("gnucash/budget_concepts1.html", "plan for paying for a large future expense"),
    ],
  },
  {
    text: "gross pricing or net pricing, which works with scrubbing lots?",
    facts: [
      factOn(
        ["gnucash/invest-buy-stock1.html", "gnucash/invest-sell1.html"],
        "but is not compatible with using",
        "use Net Pricing rather than Gross Pricing",
        "price not adjusted by commissions",
      ),
      factOn(
        ["gnucash/invest-buy-stock1.html", "gnucash/invest-sell1.html"],
        "This way is compatible with using",
        "use Net Pricing rather than Gross Pricing",
        "net price (adjusted by commissions)",
      ),
    ],
  },
  {
    text: "XML versus SQLite for storing GnuCash data",
    facts: [
      fact(
        "gnucash/basics-files1.html",
        "XML format is the most stable and established",
        "XML storage format is a text file",
      ),
      fact(
        "gnucash/basics-files1.html",
        "SQLite format allows users to realize the benefits of SQL storage",
        "SQLite file is managed as a database",
      ),
    ],
  },
  {
    text: "Return and yield of an investment: which one counts capital gains?",
    facts: [
      factOn(INVESTMENT_TERMS, "total income plus capital gains or losses of an investment"),
      factOn(INVESTMENT_TERMS, "Yield does not include capital gains"),
    ],
  },
  {
    text: "Which architectures were new in Debian 2.1, which in Debian 2.2, and which in 3.0?",
    facts: [
      factOn(
        ["history/releases.en.html", "history/detailed.en.html"],
        "Alpha and SPARC",
        "two new architectures: Alpha and Sparc",
      ),
      factOn(
        ["history/releases.en.html", "history/detailed.en.html"],
        "support for the PowerPC and ARM",
        "first release including PowerPC and ARM",
      ),
      factOn(
        ["history/releases.en.html", "history/detailed.en.html"],
        "IA-64, HP PA-RISC, MIPS",
        "first release including HP PA-RISC",
      ),
    ],
  },
]
