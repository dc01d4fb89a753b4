import { asked, type Fact, fact, factOn, type JudgedQuestion, refused } from "./judged-question.ts"

/** The developers' reference has each chapter as a page, and all of them as one. */
const devref = (chapter: string, ...says: readonly string[]): Fact =>
  factOn([`devref/${chapter}.html`, "devref/developers-reference.html"], ...says)
/** Some manual pages of git say what its page of settings says, too. */
const setting = (page: string, ...says: readonly string[]): Fact =>
  factOn([`git/${page}.html`, "git/git-config.html"], ...says)
const faq = (chapter: string, ...says: readonly string[]): Fact => fact(`faq/${chapter}.en.html`, ...says)
const git = (page: string, ...says: readonly string[]): Fact => fact(`git/${page}.html`, ...says)

/** Over the manuals of `laterManuals`, by kind; they were asked once, and have been tuned for since. */
export const LATER_QUESTIONS: Readonly<Record<string, readonly JudgedQuestion[]>> = {
  fact: [
    asked(
      "how many loose objects are there before git gc --auto packs them, by default?",
      setting("git-gc", "The default value is 6700"),
    ),
    asked(
      "After how many days does Git forget reflog entries that can still be reached?",
      factOn(
        ["git/git-reflog.html", "git/git-gc.html", "git/git-config.html"],
        "which in turn defaults to 90 days",
        "older than this time; defaults to 90 days",
      ),
    ),
    asked(
      "how long are resolved merge conflicts kept by rerere",
      factOn(
        ["git/git-rerere.html", "git/git-gc.html", "git/git-config.html"],
        "resolved conflicts older than 60 days",
        "The default is 60 days",
      ),
    ),
    asked(
      "which exit code of my script tells git bisect run that a revision cannot be tested?",
      git("git-bisect", "exit code 125"),
    ),
    asked(
      "what is an evil merge",
      git("gitglossary", "a merge that introduces changes that do not appear in any parent"),
    ),
    asked("bare repository meaning", git("gitglossary", "does not have a locally checked-out copy")),
    asked(
      "Where does Git save notes unless told otherwise?",
      git("git-notes", "saved to and read from refs/notes/commits"),
    ),
    asked("under which ref is the newest stash kept", git("git-stash", "is stored in refs/stash")),
    asked(
      "Which merge strategy is taken when more than one branch is merged?",
      git(
        "git-merge",
        "default merge strategy when pulling or merging more than one branch",
        "resolves cases with more than two heads",
      ),
    ),
    asked("which Toy Story character is Debian 8 named after?", faq("ftparchives", "jessie…cowgirl")),
    asked(
      "who decided that Debian releases are called after Toy Story, and where did he work?",
      faq("ftparchives", "made by Bruce Perens"),
    ),
    asked(
      "in which directory does dpkg keep the maintainer scripts of installed packages",
      faq("pkg-basics", "/var/lib/dpkg/info"),
    ),
    asked("what is a conffile", faq("pkg-basics", "will not overwrite when the package is upgraded")),
    asked(
      "What length must the OpenPGP key of a new Debian member have?",
      devref("new-maintainer", "greater than 2048 bits"),
    ),
    asked(
      "within how many weeks should I fix a release-critical bug before I ask others for help?",
      devref("developer-duties", "within 2 weeks"),
    ),
    asked(
      "who becomes maintainer of a package that I orphan?",
      devref("pkgs", "set the package maintainer to Debian QA Group", "should be set to Debian QA"),
    ),
    asked(
      "severity of the bug report with which a new package is announced",
      devref("pkgs", "must be set to wishlist"),
    ),
  ],
  "how-to": [
    asked("how do I throw away saved credentials in git", git("gitfaq", "git credential reject")),
    asked(
      "I forgot a file in my last commit, how do I put it in?",
      factOn(
        ["git/gitfaq.html", "git/git-commit.html", "git/user-manual.html", "git/giteveryday.html"],
        "--amend",
      ),
    ),
    asked(
      "undo a faulty commit that is on the main branch already",
      git("gitfaq", "usual way to deal with this is to use git revert"),
    ),
    asked(
      "stop tracking a file without deleting it",
      factOn(["git/gitignore.html", "git/gitfaq.html"], "git rm --cached"),
    ),
    asked(
      "How can I see what git clean would delete before it does?",
      git("git-clean", "just show what would be done", "Show what would be done"),
    ),
    asked(
      "keep the worktree on my USB stick from being pruned",
      git("git-worktree", "git worktree lock", "lock it to prevent"),
    ),
    asked(
      "work on a second branch in another directory of the same repository",
      git("git-worktree", "git worktree add"),
    ),
    asked("how do I hold a package at its version with apt", faq("pkg-basics", "apt-mark hold")),
    asked(
      "get the source of a Debian package",
      factOn(["faq/pkg-basics.en.html"], "apt-get source foo", "apt-get source"),
    ),
    asked(
      "my /var fills up with downloaded packages, what do I run?",
      faq("uptodate", "apt-get clean", "aptitude clean"),
    ),
    asked(
      "how can several Debian machines in my network download each update only once",
      faq("uptodate", "apt-cacher"),
    ),
    asked(
      "How do I reach the maintainer of a package by mail?",
      factOn(
        ["faq/support.en.html", "devref/resources.html"],
        "xyz@packages.debian.org",
        "packages.debian.org",
      ),
    ),
    asked(
      "I am a Debian developer and go on holiday: whom do I tell, and how?",
      devref("developer-duties", "with [VAC] prepended", "mark yourself as on vacation"),
    ),
    asked("find a sponsor for my package", devref("new-maintainer", "by mailing the debian-mentors")),
  ],
  "yes/no": [
    asked(
      "Must I bring the system into single user mode to upgrade a package?",
      faq("uptodate", "Packages can be upgraded in place"),
    ),
    asked(
      "is aptitude a good choice for going from one Debian release to the next",
      faq("uptodate", "aptitude is not the recommended tool"),
    ),
    asked(
      "can I delete .deb files after the packages are installed?",
      faq("uptodate", "you can remove them from your system"),
    ),
    asked(
      "Should testing or unstable be upgraded automatically?",
      faq("uptodate", "NOT recommended in testing or unstable"),
    ),
    asked("will sid ever be released", faq("ftparchives", "It will never be released directly")),
    asked(
      "Does Git let me ignore changes to a file that it tracks?",
      git("gitfaq", "Git doesn't provide a way to do this"),
    ),
    asked("can one push into a bundle", git("git-bundle", "push into a bundle is not supported")),
    asked(
      "does git clean remove ignored files without any option?",
      git("git-clean", "Normally, only files unknown to Git are removed"),
    ),
    asked(
      "Can the main worktree be removed with git worktree remove?",
      git("git-worktree", "The main worktree cannot be removed"),
    ),
    asked(
      "is git gc --aggressive worth it",
      git("git-gc", "probably not worth it", "right trade-off for most users"),
    ),
    asked(
      "may one upload to several distributions at once?",
      devref("pkgs", "not possible to upload a package into several distributions at the same time"),
    ),
    asked(
      "do I need a permission to adopt a package that is orphaned",
      devref("pkgs", "don't need permission from anybody"),
    ),
    asked(
      "Is a stash thrown away when git stash pop runs into conflicts?",
      git("git-stash", "in this case, it is not removed"),
    ),
  ],
  comparison: [
    asked(
      "git fetch vs git pull",
      git("gitfaq", "without modifying the working tree or current branch"),
      git("gitfaq", "A pull consists of a fetch followed immediately"),
    ),
    asked(
      "What is the difference between git clean -x and -X?",
      git("git-clean", "Don't use the standard ignore rules", "ignored files are also removed"),
      git("git-clean", "Remove only files ignored by Git"),
    ),
    asked(
      "stash apply or stash pop: which one keeps the entry?",
      git("git-stash", "do not remove the state from the stash list"),
      git("git-stash", "Remove a single stashed state"),
    ),
    asked(
      "how do Depends, Recommends and Suggests differ?",
      faq("pkg-basics", "absolutely must be installed in order to run"),
      faq("pkg-basics", "most users would not want A without"),
      faq("pkg-basics", "related to (and usually enhance) the functionality"),
    ),
    asked(
      "preinst versus postinst",
      faq("pkg-basics", "executed before the package it belongs to is unpacked"),
      faq("pkg-basics", "typically completes any required configuration"),
    ),
    asked(
      "package status remove compared with purge",
      faq("pkg-basics", "does not want to remove any existing configuration file"),
      faq("pkg-basics", "removed completely, including its configuration files"),
    ),
    asked(
      "should a pattern go into .gitignore or into .git/info/exclude?",
      git("gitignore", "should be version-controlled"),
      git("gitignore", "specific to a particular repository"),
    ),
    asked(
      "git credential helpers cache and store, what is the difference",
      factOn(["git/gitfaq.html", "git/git-credential-cache.html"], "does not permanently store", "in memory"),
      factOn(
        ["git/gitfaq.html", "git/git-credential-store.html"],
        "stores in a file in your home directory",
        "unencrypted on disk",
      ),
    ),
    asked(
      "How does an emeritus account come back, and how a removed one?",
      devref("developer-duties", "shortened NM process", "can get their account re-activated"),
      devref("developer-duties", "need to go through full NM again"),
    ),
    asked(
      "contrib and non-free in stable: how do they differ?",
      faq("ftparchives", "somehow depend on a package that is not freely distributable"),
      faq("ftparchives", "distribution of which is restricted", "prohibit commercial distribution"),
    ),
    asked(
      "native versus non-native source packages",
      devref("pkgs", "no distinction between the original sources and the patches"),
      devref("pkgs", "original source tarball file accompanied by another file"),
    ),
    asked(
      "unstable or stable on a server exposed to the Internet",
      faq("choosing", "strongest and safest choice"),
    ),
  ],
  latest: [
    asked(
      "what is the current stable distribution of Debian according to the FAQ?",
      faq(
        "ftparchives",
        "bullseye is the current stable distribution",
        "stable is a symbolic link to bullseye",
      ),
    ),
    asked("who is the current maintainer of Git", git("gitfaq", "Junio C Hamano")),
    asked(
      "which source format is recommended to be said explicitly nowadays, and in which file",
      devref("pkgs", "debian/source/format"),
    ),
    asked(
      "what should be used today instead of git stash save",
      git("git-stash", "deprecated in favour of git stash push"),
    ),
  ],
  unanswerable: [
    refused("how do I turn on two-factor authentication for pushes to GitHub"),
    refused("largest file that GitLab lets me push"),
    refused("How do I run git bisect inside a Docker container?"),
    refused("what does a Debian developer earn a year"),
    refused("how many Debian developers live in Brazil?"),
    refused("Which flatpak replaces a Debian package?"),
    refused("when will Debian 14 be released"),
    refused("how do I install Debian on a Raspberry Pi Zero from an SD card"),
    refused("who maintains the Snap of Git?"),
    refused("default number of reviewers that a pull request needs"),
    refused("how do I sign an NMU with a YubiKey"),
    refused("Does git stash encrypt what it saves?"),
    refused("how do I migrate from Perforce Streams to Mercurial"),
  ],
  "off-topic": [
    refused("how warm must milk be for yoghurt"),
    refused("Who painted the ceiling of the Sistine Chapel?"),
    refused("distance between Lisbon and Madrid by rail"),
    refused("what is the offside rule"),
    refused("when do swallows fly south?"),
    refused("how do I change a bicycle tyre"),
  ],
}
