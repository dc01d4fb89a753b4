import { asked, refused, type JudgedQuestion, type JudgedTask } from "../judged-question.ts"
import { apt, claws, gammu, gammuOn, harden } from "./guide-facts.ts"

/** Over the manuals of `guideManuals`, by kind: the half that is kept, which nobody tunes for. */
export const KEPT_GUIDE_QUESTIONS: Readonly<Record<string, readonly JudgedQuestion[]>> = {
  fact: [
    asked("how often does smsd look into an empty outbox", gammu("smsd/config", "Default is 30.")),
    asked(
      "How big is the md5sums database of packages compared with the snapshot?",
      harden("snapshot", "5 Mb versus 600 Kb"),
    ),
    asked(
      "default console log level of the kernel",
      harden("ch12", "default console log level for any given kernel is 7"),
    ),
    asked("magenta package in aptitude", apt("ch02s02s02", "currently installed, but it will be removed")),
    asked(
      "what does the F in the action column of aptitude's package list stand for",
      apt("ch02s02s02", "An upgrade of the package has been forbidden"),
    ),
    asked("shortcut for the address book in Claws Mail?", claws("Shift+Ctrl+a Open address book")),
    asked(
      "which uids does debian keep for itself",
      harden("ch12", "UID's from 0 to 99 are reserved in Debian"),
    ),
    asked("how many minutes does claws keep a folder's cache at the least", claws("Default value is '15'")),
    asked("How many mines are there in aptitude's minesweeper?", apt("ch02s06", "ten mines")),
    asked("where are the deb files that aptitude clean deletes", apt("rn01re01", "/var/cache/apt/archives")),
    asked(
      "how long does smsd wait for the other parts of a long sms",
      gammu("smsd/config", "600 (10 minutes)"),
    ),
    asked(
      "where does gammu look for its config first on linux",
      gammu("config/index", "$XDG_CONFIG_HOME/gammu/config"),
    ),
  ],
  "how-to": [
    asked("how do I stop telnet in inetd", harden("ch03s05", "update-inetd --disable telnet")),
    asked(
      "get rid of kernel messages on the console after installing a firewall",
      harden("ch12", "you can use dmesg (-n option", 'KLOGD="-c 4"'),
    ),
    asked("change the SMTP banner of postfix", harden("ch12", "smtpd_banner = $myhostname ESMTP")),
    asked(
      "stop aptitude from throwing away a package that it installed by itself",
      apt("ch02s02s06", 'You can cancel the "automatic" flag at any time by pressing m'),
    ),
    asked("how can I undo what I flagged in aptitude?", apt("ch02s02s03", "Undo → Undo (Control+u)")),
    asked(
      "find out why some package is on my machine",
      apt(
        "rn01re01",
        "aptitude why kdepim",
        "Explains the reason that a particular package should or cannot be installed",
        "finds a dependency chain that installs the package",
      ),
    ),
    asked(
      "ask for a read receipt in claws",
      claws('use "Options/Request Return Receipt" in the Compose window'),
    ),
    asked(
      "umlauts look wrong in claws mail, what can I do?",
      claws('force it using the "View/Character Encoding" submenu'),
    ),
    asked(
      "queue a text message for smsd from the shell",
      gammu("smsd/inject", "gammu-smsd-inject TEXT 123456"),
    ),
    asked(
      "keep rootkits from loading modules into the kernel",
      harden("ch10s04", "CONFIG_MODULES=n", "lcap CAP_SYS_MODULE"),
    ),
  ],
  "yes/no": [
    asked(
      "is it ok to uninstall perl from debian",
      harden(
        "ch03s06",
        "removing perl might not be too easy",
        "will probably not be able to manage any packages",
      ),
    ),
    asked("does smsd work with sqlite", gammu("faq/smsd", "SQLite, MS SQL Server")),
    asked(
      "Can claws quote only a part of the mail I answer?",
      claws("select the section of the message that you want to quote"),
    ),
    asked(
      "can I turn services off in /etc/default on Debian",
      harden("ch03s05", "cannot be disabled by modifying files in /etc/default"),
    ),
    asked(
      "is it possible to change an account's protocol later in claws mail",
      claws("you can't change its type (protocol) anymore", "which is not modifiable for existing accounts"),
    ),
    asked("Does chkrootkit find every root-kit?", harden("ch10s04", "is not a definitive test")),
    asked(
      "may I give aptitude both a version and an archive for a package",
      apt("rn01re01", "cannot specify both an archive and a version"),
    ),
    asked(
      "does smsd log anything if I set no log file",
      gammu("smsd/config", "Default is to provide no logging"),
    ),
  ],
  comparison: [
    asked(
      "processing rules vs filtering rules in claws",
      claws("applied when entering a folder"),
      claws(
        "sort your incoming emails automatically",
        "rule will be applied globally, to messages retrieved from any account",
        "By default filtering rules are global",
      ),
    ),
    asked(
      "send or send later, how do they differ?",
      claws("send your email immediately"),
      claws("queue the message for later sending", "stored in your Queue folder"),
    ),
    asked(
      "difference between pre-processing and post-processing rules",
      claws("Pre-processing rules are executed before"),
      claws("Post-processing rules are executed afterwards"),
    ),
    asked(
      "soft reset vs hard reset in gammu smsd",
      gammu("smsd/config", "performing a preventive soft reset"),
      gammu("smsd/config", "performing a preventive hard reset", "hard reset means deleting all data"),
    ),
    asked(
      "aptitude why and why-not",
      apt("rn01re01", "why finds a dependency chain that installs the package"),
      apt("rn01re01", "why-not finds a dependency chain leading to a conflict"),
    ),
    asked(
      "should I use ext2 or ext3",
      harden("ch03s02", "better off using a standard ext2"),
      harden("ch03s02", "it is usually better to use the ext3", "backwards compatible with ext2"),
    ),
  ],
  unanswerable: [
    refused("send a fax with gammu"),
    refused("how many messages a second can gammu smsd send"),
    refused("colour of packages with security updates in aptitude"),
    refused("largest attachment that Claws Mail can send"),
    refused("which firewall does Debian switch on by default"),
    refused("who pays the people who work on aptitude"),
  ],
  "off-topic": [
    refused("weather in lisbon in may"),
    refused("what is the capital of mongolia?"),
    refused("train a puppy to sit"),
  ],
}

/** The tasks for research over the same manuals: the half that is kept. */
export const KEPT_GUIDE_TASKS: readonly JudgedTask[] = [
  {
    input:
      "Roll Claws Mail out to many users: which template the wizard uses, which variables it may have, and where the files go.",
    parts: [
      {
        about: "template",
        ...claws("edit the newly created wizard template file", "creating a wizard configuration template"),
      },
      {
        about: "variables",
        ...claws(
          "The user's Unix login",
          "The SMTP server to use",
          "variables you can use in the",
          "The domain name as extracted from Unix hostname",
        ),
      },
      { about: "files", ...claws("Recursively copy .claws-mail to /etc/skel/") },
    ],
  },
  {
    input:
      "Root-kits made of kernel modules on Debian: what they can do, how to defend a system before, and how to detect them afterwards",
    parts: [
      {
        about: "what they can do",
        ...harden(
          "ch10s04",
          "They can hide processes, files, directories and even connections",
          "opening up back doors in GNU/Linux systems",
        ),
      },
      {
        about: "before",
        ...harden(
          "ch10s04",
          "CONFIG_MODULES=n",
          "lcap CAP_SYS_MODULE",
          "loading an LKM designed to protect the system",
        ),
      },
      {
        about: "afterwards",
        ...harden("ch10s04", "accomplished with the chkrootkit package", "comparing the system call table"),
      },
    ],
  },
  {
    input: "Which phones work with Gammu? Cover Nokia, Symbian, Android and iPhone.",
    parts: [
      {
        about: "Nokia",
        ...gammuOn(
          ["faq/phone", "faq/config"],
          "any Nokia phone using Nokia OS should work",
          "Series40 and older phones should work",
          "it should work using either Bluetooth or USB cable",
        ),
      },
      {
        about: "Symbian",
        ...gammuOn(
          ["faq/phone", "faq/config"],
          "You need to install applet to the phone to allow Gammu talk to it",
          "only support for Symbian phones is using applet",
        ),
      },
      { about: "Android", ...gammu("faq/phone", "Unfortunately no at the moment") },
    ],
  },
  {
    input:
      "How should a secure Debian server be partitioned? Which directories get a partition of their own, which file system is recommended, and what about mail?",
    parts: [
      {
        about: "directories",
        ...harden(
          "ch03s02",
          "Any directory tree which a user has write permissions to",
          "Any partition which can fluctuate",
        ),
      },
      {
        about: "file system",
        ...harden("ch03s02", "it is usually better to use the ext3", "always use a journaling file system"),
      },
      { about: "mail", ...harden("ch03s02", "important to have a separate partition for the mail spool") },
    ],
  },
  {
    input: "Report on the mobile apps of Claws Mail and how their push notifications are set up.",
    parts: null,
  },
]
