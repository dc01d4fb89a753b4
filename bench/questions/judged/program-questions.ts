import { asked, type Fact, fact, factOn, type JudgedQuestion, refused } from "./judged-question.ts"

const borg = (page: string, ...says: readonly string[]): Fact => fact(`borg/${page}.html`, ...says)
/** The introduction to a command and its manual page may say the same. */
const borgOn = (pages: readonly string[], ...says: readonly string[]): Fact =>
  factOn(
    pages.map((page) => `borg/${page}.html`),
    ...says,
  )
const faq = (chapter: string, ...says: readonly string[]): Fact =>
  fact(`privoxy/faq/${chapter}.html`, ...says)
const manual = (chapter: string, ...says: readonly string[]): Fact =>
  fact(`privoxy/user-manual/${chapter}.html`, ...says)
const kernel = (chapter: string, ...says: readonly string[]): Fact =>
  fact(`kernel/ch-${chapter}.html`, ...says)

/** Over the manuals of `programManuals`, by kind; nobody tunes for any of them. */
export const PROGRAM_QUESTIONS: Readonly<Record<string, readonly JudgedQuestion[]>> = {
  fact: [
    asked(
      "how often does Borg save a checkpoint archive during a backup?",
      borg("faq", "default value for this is 30 minutes"),
    ),
    asked(
      "default of BORG_FILES_CACHE_TTL",
      borgOn(["faq", "usage/general"], "defaults to 20", "default: 20"),
    ),
    asked(
      "What exit code does borg have when there were only warnings?",
      borg("usage/general", "1 warning (operation reached its normal end"),
    ),
    asked(
      "above which share of saved space does borg compact rewrite a segment by default",
      borg("usage/compact", "threshold of 10% is used"),
    ),
    asked(
      "which level does zstd have in Borg if I give none?",
      borg("usage/help", "ranging from 1 to 22), it will use level 3"),
    ),
    asked(
      "where does Borg put keyfile keys",
      borgOn(["usage/init"], "stored in your home directory (in ~/.config/borg/keys)", "~/.config/borg/keys"),
    ),
    asked(
      "How many unchanged files could Borg get through in four minutes on a server?",
      borg("faq", "about 1 million unchanged files"),
    ),
    asked(
      "on which address and port does Privoxy listen unless told otherwise",
      factOn(
        [
          "privoxy/user-manual/startup.html",
          "privoxy/user-manual/config.html",
          "privoxy/faq/installation.html",
        ],
        "Bind to 127.0.0.1 (IPv4 localhost), port 8118",
        "127.0.0.1:8118",
        "port 8118",
        "the port will be 8118",
      ),
    ),
    asked(
      "What is the largest document that Privoxy filters by default?",
      manual("config", "Use a 4MB (4096 KB) limit"),
    ),
    asked(
      "how many clients may be connected to Privoxy at once if I do not change anything",
      manual("config", "Default value: 128", "client connections…128"),
    ),
    asked(
      "after how many seconds without data does Privoxy give up on a socket?",
      manual("config", "default value of 300 seconds is used"),
    ),
    asked("when did the first stable Privoxy come out", faq("general", "was released August, 2002")),
    asked(
      "who took over the Internet Junkbuster after the company had dropped it?",
      faq("general", "Stefan Waldherr started maintaining"),
    ),
    asked(
      "how much disk space do I need to build the Debian kernel for one flavour",
      kernel("common-tasks", "up to 15 GB space"),
    ),
    asked(
      "What is the name prefix of kernel hook scripts of boot loaders?",
      kernel("update-hooks", "using the prefix zz-"),
    ),
    asked(
      "which tool makes the initramfs in Debian by default?",
      kernel("initramfs", "update-initramfs provided by initramfs-tools (default)"),
    ),
    asked(
      "meaning of abiname in a kernel package's name",
      kernel("packaging", "a small integer, which identifies the kernel's binary compatibility level"),
    ),
    asked(
      "within what time must a kernel bug's submitter send the missing information before it may be closed",
      kernel("bugs", "within a month of the request"),
    ),
  ],
  "how-to": [
    asked(
      "how do I get back disk space after deleting Borg archives",
      borgOn(["quickstart", "usage/compact", "usage/prune", "usage/delete", "usage/notes"], "borg compact"),
    ),
    asked(
      "make a Borg repository that a hacked client cannot delete from",
      borgOn(["usage/notes", "faq"], "append_only", "append-only"),
    ),
    asked(
      "I want my backup script to get the passphrase without typing it",
      borgOn(["faq", "usage/general"], "BORG_PASSPHRASE", "BORG_PASSCOMMAND"),
    ),
    asked(
      "How can I slow Borg's uploads down so that the line stays usable?",
      borg("faq", "--remote-ratelimit"),
    ),
    asked("see what borg prune would delete without deleting it", borg("usage/prune", "--dry-run")),
    asked("how do I print the key of a repository on paper", borgOn(["usage/key"], "--paper")),
    asked(
      "take one directory out of all existing archives in Borg",
      borg("faq", "borg recreate command to rewrite all archives", "borg recreate"),
    ),
    asked(
      "How do I compare an archive with the files on my disk?",
      borg("faq", "instruct export-tar", "tar --compare"),
    ),
    asked(
      "send Privoxy's traffic through Tor",
      factOn(
        ["privoxy/faq/misc.html", "privoxy/user-manual/config.html"],
        "forward-socks5t / 127.0.0.1:9050",
        "uncomment the line",
      ),
    ),
    asked(
      "how can I check whether my browser really uses Privoxy",
      factOn(
        ["privoxy/faq/misc.html", "privoxy/faq/installation.html"],
        "entering the URL http://config.privoxy.org/ takes you",
        "entering the special URL: http://p.p/",
      ),
    ),
    asked("stop my users from clicking past a blocked page", manual("config", "enforce-blocks")),
    asked(
      "find out which parameters a kernel module takes",
      kernel("modules", "you can use the modinfo command", "modinfo"),
    ),
    asked(
      "How do I keep a kernel module from being loaded?",
      kernel("modules", "blacklist tulip", "prevent any module"),
    ),
    asked("list what is inside an initramfs", kernel("initramfs", "lsinitramfs", "cpio -t")),
    asked(
      "how do I rebuild the initramfs after I changed something",
      kernel("initramfs", "dpkg-reconfigure linux-image"),
    ),
    asked(
      "install the kernel headers for the kernel that is running",
      kernel("packaging", "linux-headers-$(uname -r)"),
    ),
  ],
  "yes/no": [
    asked(
      "can several machines back up into one Borg repository?",
      borg("faq", "possible from the technical standpoint", "yes it's possible"),
    ),
    asked(
      "does Borg protect a backup against broken sectors by redundancy",
      borg("faq", "consider RAID or a filesystem that offers redundant storage", "No, it can't"),
    ),
    asked(
      "Is it safe to change the compression of a Borg repository later?",
      borg("faq", "it's safe to change them"),
    ),
    asked("is the cache of Borg encrypted?", borg("faq", "it is not encrypted")),
    asked("does borg compact need the key of the repository", borg("usage/compact", "does not need a key")),
    asked(
      "Does borg extract work into a directory that has files in it already?",
      borg("faq", "only supports restoring into an empty destination"),
    ),
    asked(
      "is the passphrase part of an exported key",
      borg("usage/key", "does not include the passphrase itself"),
    ),
    asked("can Privoxy get rid of viruses?", faq("general", "No, at least not reliably enough")),
    asked(
      "does Privoxy make me anonymous",
      faq(
        "misc",
        "No. Your chances of remaining anonymous are improved",
        "Your chances of remaining anonymous are improved",
      ),
    ),
    asked(
      "Can Privoxy filter FTP?",
      factOn(
        ["privoxy/faq/misc.html", "privoxy/faq/installation.html", "privoxy/user-manual/startup.html"],
        "Privoxy does not filter FTP",
        "does not currently handle any other protocols such as FTP",
        "It will not work with FTP",
      ),
    ),
    asked(
      "is there a fee for using Privoxy",
      faq("general", "It is free to use, copy, modify or distribute", "Privoxy is free software"),
    ),
    asked(
      "must the kernel team get a patch accepted upstream before it goes into Debian?",
      factOn(
        ["kernel/ch-source.html", "kernel/ch-bugs.html"],
        "must be based on a change already accepted by the upstream",
        "should normally be reviewed and accepted by the relevant upstream maintainer",
      ),
    ),
    asked(
      "may kernel packages call a boot loader directly?",
      kernel("update-hooks", "must not invoke boot loaders or initramfs builders except via hooks"),
    ),
  ],
  comparison: [
    asked(
      "repokey or keyfile: where is the key in each?",
      borgOn(
        ["usage/init", "usage/key", "faq"],
        "stored inside the repository",
        "saved in the repository",
        "stores the (encrypted) key into <REPO_DIR>/config",
      ),
      borgOn(
        ["usage/init", "usage/key"],
        "stored in your home directory",
        "key is saved locally",
        "~/.config/borg/keys",
      ),
    ),
    asked(
      "lz4 vs lzma compression in Borg",
      borg("usage/help", "Very high speed, very low compression"),
      borg("usage/help", "Low speed, high compression"),
    ),
    asked(
      "What is the difference between a Borg archive and a repository?",
      borg("quickstart", "result of a single backup", "snapshot of the data"),
      borg("quickstart", "self-contained stores of archives"),
    ),
    asked(
      "BORG_PASSPHRASE versus BORG_PASSCOMMAND",
      borgOn(
        ["usage/general", "faq"],
        "use the value to answer the passphrase question for encrypted",
        "specified using the BORG_PASSPHRASE environment variable",
      ),
      borgOn(
        ["usage/general", "faq"],
        "use the standard output of the command",
        "automatically use that passphrase",
      ),
    ),
    asked(
      "encryption none or authenticated: which notices that somebody changed my backups?",
      borg("usage/init", "being able to read your backups and tamper", "no encryption and no authentication"),
      borg("usage/init", "still want to detect malicious tampering", "authenticates repository contents"),
    ),
    asked(
      "How does the repository check differ from the archive check of a remote repo: where does each run?",
      borg("usage/check", "the repo check is executed on the server"),
      borg("usage/check", "the archive check is executed on the client"),
    ),
    asked(
      "how do forward-socks4 and forward-socks4a differ",
      manual("config", "in SOCKS 4 it happens locally"),
      manual("config", "happens on the SOCKS server"),
    ),
    asked(
      "building modules with DKMS or with module-assistant: what do I install?",
      kernel("common-tasks", "apt-get install linux-headers-flavour module-name-dkms"),
      kernel("common-tasks", "apt-get install module-assistant"),
    ),
    asked(
      "Should I use Privoxy or only what my browser has?",
      faq("general", "leverage both your browser's and Privoxy's", "Privoxy is very versatile and powerful"),
    ),
    asked(
      "package linux-image versus linux-source",
      kernel("packaging", "contains the binary kernel image"),
      kernel("packaging", "contains the Debian kernel source tarball"),
    ),
  ],
  latest: [
    asked(
      "which browsers work with Privoxy today?",
      faq("installation", "Any browser that can be configured to use a proxy"),
    ),
    asked(
      "what should be used nowadays instead of the prefix option of borg prune",
      borgOn(["usage/prune", "usage/list", "changes", "usage/delete"], "--glob-archives"),
    ),
    asked(
      "Which archive of kernel mailing lists is currently the best?",
      kernel("bugs", "lore.kernel.org is currently the best"),
    ),
  ],
  unanswerable: [
    refused("how do I back up to Amazon S3 Glacier with Borg"),
    refused("Which port does borg serve listen on?"),
    refused("how much does a year of BorgBase cost?"),
    refused("who founded the company behind Borg"),
    refused("Is there an Android app of Privoxy?"),
    refused("how many people use Privoxy every day"),
    refused("turn on DNS over HTTPS in Privoxy"),
    refused("How do I make Privoxy cache pages in Redis?"),
    refused("how long is Linux 6.12 supported by Debian LTS"),
    refused("which salary do members of the kernel team get"),
    refused("write a kernel module in Rust"),
    refused("does borg have a graphical interface for Windows 11 ARM"),
    refused("how do I replace Borg's encryption by my YubiKey?"),
  ],
  "off-topic": [
    refused("how many players has a handball team"),
    refused("When was the Eiffel Tower built?"),
    refused("how do I take red wine out of a tablecloth"),
    refused("recipe for lentil soup"),
    refused("which vitamins does spinach have?"),
    refused("height of Mount Kilimanjaro"),
  ],
}
