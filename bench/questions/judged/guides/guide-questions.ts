import { asked, refused, type JudgedQuestion, type JudgedTask } from "../judged-question.ts"
import { apt, aptOn, claws, gammu, gammuOn, harden } from "./guide-facts.ts"

/** Over the manuals of `guideManuals`, by kind: the half for tuning. */
export const GUIDE_QUESTIONS: Readonly<Record<string, readonly JudgedQuestion[]>> = {
  fact: [
    asked(
      "how long does gammu smsd wait before it sends a failed sms again",
      gammu("smsd/config", "Default is 600."),
    ),
    asked("what port does squid run on by default?", harden("ch05s02", "default port 3128")),
    asked("which sysrq value does debian come with", harden("restrict-sysrq", "438")),
    asked(
      "what does it mean when a package is blue in aptitude",
      apt("ch02s02s02", "currently installed, and it will be upgraded"),
    ),
    asked(
      "c in front of a package in aptitude's list",
      aptOn(
        ["ch02s02s02", "rn01re01"],
        "the package was removed, but its configuration files are still present",
        "the package was deleted but its configuration files remain",
      ),
    ),
    asked("shortcut to send a mail in claws", claws("Ctrl+Return Send")),
    asked("When was Sylpheed-Claws renamed?", claws("changed its name to Claws Mail in November 2006")),
    asked("how much memory may claws use to cache messages", claws("Default value is '4096'")),
    asked("which file has the keys that apt trusts?", apt("ch02s02s05", "/etc/apt/trusted.gpg")),
    asked("How many linux capabilities can lcap take away?", harden("ch10s04", "over 28 capabilities")),
    asked(
      "how long may a RunOnReceive script run",
      gammuOn(["smsd/config", "smsd/run"], "waiting time is limited to two minutes"),
    ),
    asked(
      "name of the gammu smsd windows service if i don't choose one",
      gammu("smsd/smsd", 'Default is "GammuSMSD"'),
    ),
  ],
  "how-to": [
    asked(
      "how do I stop people rebooting my box with ctrl alt del",
      harden("restrict-reboots", "comment the line with the ctrlaltdel definition"),
    ),
    asked("put a password on grub", harden("lilo-passwd", "edit /boot/grub/menu.lst", "password hackme")),
    asked("switch off magic sysrq", harden("restrict-sysrq", "kernel.sysrq = 0")),
    asked(
      "How can I make apt trust the key of another archive?",
      apt("ch02s02s05", "gpg --no-default-keyring --keyring /etc/apt/trusted.gpg --import"),
    ),
    asked(
      "install one particular version of a package with aptitude",
      aptOn(["rn01re01"], "aptitude install apt=0.3.1", 'append "=version" to the package name'),
    ),
    asked(
      "keep aptitude from upgrading to one broken release of a package but let later ones in",
      aptOn(
        ["rn01re01", "ch02s02s03"],
        "aptitude forbid-version vim=1.2.3.broken-4",
        "Forbid a package from being upgraded to a particular version",
        "Forbid Version (F)",
      ),
    ),
    asked(
      "run a command when new mail comes into claws",
      claws('"Run command" in the "After receiving new mail" frame'),
    ),
    asked(
      "make a filter in Claws Mail from the mail I am looking at",
      claws('choose "Create filter rule..." from the "Tools" menu'),
    ),
    asked(
      "tell the claws plugins about my proxy",
      claws("export http_proxy=", "http_proxy=http://user:passwd@myproxy.example.com:8080", "http_proxy"),
    ),
    asked(
      "my gammu device gets another name each time under linux",
      gammu("faq/general", "use udev to assign persistent device name"),
    ),
  ],
  "yes/no": [
    asked(
      "Can Claws send html mail?",
      claws("HTML mail is not wanted", "will not let you write and send HTML emails"),
    ),
    asked("does gammu work with iphones", gammu("faq/phone", "Unfortunately no at the moment")),
    asked(
      "can i send mms with gammu?",
      gammu("faq/general", "you need to encode MMS data yourself", "Gammu can create the notification SMS"),
    ),
    asked(
      "is debian certified for security",
      harden("ch12", "Short answer: no", "nobody has dedicated the resources in order to certify"),
    ),
    asked("does claws send read receipts on its own", claws("no receipts are sent automatically")),
    asked(
      "do I lose data on the phone when smsd does a hard reset?",
      gammu("smsd/config", "hard reset means deleting all data"),
    ),
    asked(
      "can I throw away the system users debian made if I don't need them",
      harden("ch12", "you can safely remove those users who do not own any files"),
    ),
    asked(
      "Does aptitude why do a full dependency resolution?",
      apt("rn01re01", "does not perform full dependency resolution"),
    ),
  ],
  comparison: [
    asked(
      "hold or keep in aptitude, what is the difference",
      aptOn(
        ["rn01re01", "ch02s02s03"],
        "hold will cause a package to be ignored by future",
        "Set a persistent hold on the package",
        "prevent this package from being automatically upgraded in the future",
      ),
      aptOn(
        ["rn01re01", "ch02s02s03"],
        "keep merely cancels any scheduled actions",
        "kept at its current version",
        "does not prevent automatic upgrades in the future",
      ),
    ),
    asked(
      "POP3 versus IMAP",
      claws("allows you to download email to your computer"),
      claws("your emails are all kept on a central server"),
    ),
    asked(
      "Claws templates: insert vs replace",
      claws('"Insert" will insert the template\'s body'),
      claws('"Replace" will replace the current composition window message body'),
    ),
    asked(
      "How does proactive defense against root-kits differ from reactive defense?",
      harden("ch10s04", "it prevents damage to the system in the first place"),
      harden(
        "ch10s04",
        "it does not overload system resources",
        "comparing the system call table",
        "only notify the system administrator after",
      ),
    ),
    asked(
      "remove or purge in aptitude?",
      aptOn(
        ["ch02s02s02", "ch02s02s03"],
        "its configuration files will remain on the system",
        "Flag the currently selected package for removal",
      ),
      aptOn(
        ["ch02s02s02", "ch02s02s03", "rn01re01"],
        "it and its configuration files will be removed",
        "any remaining files (such as configuration files)",
        "remove it and all its associated configuration and data files",
      ),
    ),
    asked(
      "DeliveryReport log or sms",
      gammu("smsd/config", "one line log entry"),
      gammu("smsd/config", "store in inbox as a received SMS"),
    ),
  ],
  unanswerable: [
    refused("how do I get claws mail on my android phone"),
    refused("price of a gammu licence for companies"),
    refused("longest name that a filtering rule may have in Claws Mail"),
    refused("set up two-factor login for aptitude"),
    refused("on which tcp port does gammu smsd listen"),
    refused("which year did aptitude get its minesweeper game"),
  ],
  "off-topic": [
    refused("good pasta recipe with tomatoes"),
    refused("who won the world cup in 2018?"),
    refused("how tall is the eiffel tower"),
  ],
}

/** The tasks for research over the same manuals: the half for tuning. */
export const GUIDE_TASKS: readonly JudgedTask[] = [
  {
    input:
      "Set up an SMS gateway with Gammu SMSD: which modem to buy, where messages are stored, and how to run a script for each message.",
    parts: [
      {
        about: "modem",
        ...gammu("faq/smsd", "Siemens modems", "choose some GSM (GPRS, EDGE, UMTS) terminals/modems"),
      },
      {
        about: "storage",
        ...gammuOn(
          ["smsd/config", "smsd/files", "faq/smsd"],
          "Stores messages in files",
          "Stores messages in SQL database",
          "stores all data on a filesystem",
          "SMSD natively supports MySQL and PostgreSQL",
        ),
      },
      {
        about: "script",
        ...gammuOn(
          ["smsd/config", "smsd/run"],
          "Executes a program after receiving message",
          "to run defined program after receiving every message",
          "RunOnReceive = /path/to/script.sh",
        ),
      },
    ],
  },
  {
    input: "Compare hold, keep and forbid-version in aptitude",
    parts: [
      {
        about: "hold",
        ...aptOn(
          ["rn01re01", "ch02s02s03"],
          "hold will cause a package to be ignored by future",
          "Set a persistent hold on the package",
          "prevent this package from being automatically upgraded in the future",
        ),
      },
      {
        about: "keep",
        ...aptOn(
          ["rn01re01", "ch02s02s03"],
          "keep merely cancels any scheduled actions",
          "kept at its current version",
          "does not prevent automatic upgrades in the future",
        ),
      },
      {
        about: "forbid",
        ...aptOn(
          ["rn01re01", "ch02s02s03"],
          "Forbid a package from being upgraded to a particular version",
          "will not be automatically upgraded…to the version it would currently be upgraded to",
        ),
      },
    ],
  },
  {
    input:
      "How can a Debian machine be protected from people at its console? Cover boot loader passwords, Ctrl+Alt+Del, and the SysRq key.",
    parts: [
      {
        about: "boot loader",
        ...harden(
          "lilo-passwd",
          "you should set a password for the boot loader",
          "edit /boot/grub/menu.lst",
          "edit the config file /etc/lilo.conf",
        ),
      },
      {
        about: "reboots",
        ...harden(
          "restrict-reboots",
          "comment the line with the ctrlaltdel definition",
          "calls shutdown with the -a switch",
        ),
      },
      {
        about: "SysRq",
        ...harden("restrict-sysrq", "kernel.sysrq = 0", "You should disable this functionality if"),
      },
    ],
  },
  {
    input:
      "Spam in Claws Mail: which plugins are there against it, how are they taught, and how is spam reported?",
    parts: [
      {
        about: "plugins",
        ...claws(
          "It has a SpamAssassin and a Bogofilter plugin",
          "The ability to scan incoming mail received from a POP, IMAP or LOCAL account",
        ),
      },
      {
        about: "teaching",
        ...claws("You can train SpamAssassin by marking messages", "The ability for users to teach"),
      },
      { about: "reporting", ...claws("This plugin reports spam to various places") },
    ],
  },
  {
    input: "Write a report on running Gammu in Kubernetes with autoscaling, and on its Helm chart.",
    parts: null,
  },
]
