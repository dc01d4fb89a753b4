import { fact, factOn, type JudgedQuestion } from "./judged-question.ts"

/** What to do, run or write to get something done. */
export const HOW_TO_QUESTIONS: readonly JudgedQuestion[] = [
  {
    text: "how do I restart Apache without cutting off people who are in the middle of a download",
    facts: [
      factOn(
        ["apache/stopping.html", "apache/programs/apachectl.html"],
        "apache2ctl -k graceful",
        "children to exit after their current request",
        "currently open connections are not aborted",
      ),
    ],
  },
  {
    text: "I want another file name than .htaccess, what do I set?",
    facts: [
      factOn(
        ["apache/howto/htaccess.html", "apache/mod/core.html", "apache/configuring.html"],
        "AccessFileName",
      ),
    ],
  },
  {
    text: "How can I send all http requests on to https, and is mod_rewrite needed for it?",
    facts: [
      factOn(
        ["apache/rewrite/avoid.html", "apache/rewrite/remapping.html"],
        "better handled by the Redirect directive",
        "Redirect in a dedicated HTTP virtual host",
        "in most cases it is better accomplished without it",
        'Redirect permanent "/" "https',
      ),
    ],
  },
  {
    text: "get certificates from Let's Encrypt with nothing but Apache itself",
    facts: [
      fact("apache/mod/mod_md.html", "MDomain", "supervise/renew TLS certificates via the ACME protocol"),
    ],
  },
  {
    text: "How do I see more log messages of mod_rewrite without getting those of all the others?",
    facts: [
      factOn(
        ["apache/logs.html", "apache/mod/mod_rewrite.html", "apache/rewrite/htaccess.html"],
        "rewrite:trace",
        "per-module basis",
      ),
    ],
  },
  {
    text: "how to find out which MPM was compiled into httpd",
    facts: [fact("apache/mpm.html", "httpd -l")],
  },
  {
    text: "my users write CGI scripts; each should run under its owner's account",
    facts: [
      factOn(
        [
          "apache/suexec.html",
          "apache/misc/security_tips.html",
          "apache/mod/mod_suexec.html",
          "apache/howto/cgi.html",
        ],
        "suEXEC",
      ),
    ],
  },
  {
    text: "how do I allow just a few directives in .htaccess and no whole category",
    facts: [factOn(["apache/howto/htaccess.html", "apache/mod/core.html"], "AllowOverrideList")],
  },
  {
    text: "A daemon should not start after its installation until the administrator says so. What goes into postinst?",
    facts: [fact("policy/policy.html/ch-opersys.html", "defaults-disabled")],
  },
  {
    text: "where does a package put a script that is to run once a day",
    facts: [
      factOn(
        ["policy/policy.html/ch-opersys.html", "handbook/sect.task-scheduling-cron-atd.html"],
        "/etc/cron.daily",
      ),
    ],
  },
  {
    text: "I uploaded a broken new upstream version and have to go back to the old one, without an epoch. How?",
    facts: [fact("policy/policy.html/ch-controlfields.html", "+really")],
  },
  {
    text: "example configuration files of a package: where are they installed",
    facts: [
      factOn(
        ["policy/policy.html/ch-docs.html", "policy/policy.html/ch-files.html"],
        "/usr/share/doc/package/examples",
      ),
    ],
  },
  {
    text: "How do I put my public key onto a server so that it lets me in without a password?",
    facts: [fact("handbook/sect.remote-login.html", "ssh-copy-id")],
  },
  {
    text: "replace the failed disk of a software mirror",
    facts: [fact("handbook/advanced-administration.html", "mdadm /dev/md1 --add")],
  },
  {
    text: "how can I remove a package so that its configuration files go as well",
    facts: [
      factOn(
        ["handbook/sect.apt-get.html", "handbook/sect.manipulating-packages-with-dpkg.html"],
        "apt purge",
        "-P or --purge",
        "dpkg -P",
      ),
    ],
  },
  {
    text: "only some users shall be allowed to have a crontab",
    facts: [fact("handbook/sect.task-scheduling-cron-atd.html", "/etc/cron.allow")],
  },
  {
    text: "how do I have a command executed once right after booting, by cron?",
    facts: [fact("handbook/sect.task-scheduling-cron-atd.html", "@reboot")],
  },
  {
    text: "Install the same selection of packages on a second machine: how do I get the list of them?",
    facts: [fact("handbook/sect.apt-get.html", "dpkg --get-selections")],
  },
  {
    text: "let an AppArmor profile log what it would forbid, and forbid nothing",
    facts: [fact("handbook/sect.apparmor.html", "aa-complain", "complaining")],
  },
  {
    text: "how do I change how much disk space a user may take",
    facts: [fact("handbook/sect.quotas.html", "edquota", "setquota")],
  },
  {
    text: "A job that is already running eats all the CPU, how do I make it give way to others?",
    facts: [fact("handbook/sect.asynchronous-task-scheduling-anacron.html", "renice")],
  },
  {
    text: "how do I create a container with LXC",
    facts: [fact("handbook/sect.virtualization.html", "lxc-create")],
  },
  {
    text: "GnuCash crashed before I saved. How do I get my entries back?",
    facts: [fact("gnucash/basics-backup1.html", "Replay GnuCash .log file", "using this log file")],
  },
  {
    text: "how to enter a 2 for 1 split of a stock in GnuCash",
    facts: [fact("gnucash/invest-splitsnmergers1.html", "Actions → Stock Split")],
  },
  {
    text: "gnucash says my file is locked but nobody else has it open, what can I do",
    facts: [
      fact(
        "gnucash/basics-backup1.html",
        "delete the .LNK and .LCK files",
        "delete any .LCK and .LNK files",
        "safe to choose Yes",
      ),
    ],
  },
  {
    text: "begin a new year with the same accounts but none of the old transactions",
    facts: [fact("gnucash/basics-files1.html", "Export Accounts")],
  },
  {
    text: "How are trading accounts switched on?",
    facts: [fact("gnucash/currency_trading_accts.html", "Use Trading Accounts")],
  },
  {
    text: "how does one correct a wrong entry in formal accounting, where nothing is ever deleted",
    facts: [
      fact(
        "gnucash/gnc-gloss.html",
        "transaction is added to the ledger that reverses the original",
        "reversing transaction",
      ),
    ],
  },
]
