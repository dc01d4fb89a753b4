import type { ManualQuestion } from "./manual-questions.ts"

/**
 * Questions whose answer is one section of a page of more than 50,000 characters; written before any search was
 * made. Pages that say the same in full are all right answers.
 */
export const LONG_PAGE_QUESTIONS: readonly ManualQuestion[] = [
  {
    text: "raise the largest size of one request header that the web server accepts",
    answers: ["apache/mod/core.html"],
    holds: "LimitRequestFieldSize",
  },
  {
    text: "apply access controls to all HTTP methods except the ones I name",
    answers: ["apache/mod/core.html"],
    holds: "LimitExcept",
  },
  {
    text: "how long the server waits for another request on a connection that stays open",
    answers: ["apache/mod/core.html"],
    holds: "KeepAliveTimeout",
  },
  {
    text: "a URL with an encoded slash is refused with 404, how can it be let through",
    answers: ["apache/mod/core.html"],
    holds: "AllowEncodedSlashes",
  },
  {
    text: "remove the footer with the server version from error pages",
    answers: ["apache/mod/core.html"],
    holds: "ServerSignature",
  },
  {
    text: "let links be followed only when link and target belong to the same owner",
    answers: ["apache/mod/core.html"],
    holds: "SymLinksIfOwnerMatch",
  },
  {
    text: "check client certificates against revocation lists kept in one file",
    answers: ["apache/mod/mod_ssl.html"],
    holds: "SSLCARevocationFile",
  },
  {
    text: "get the pass phrase of an encrypted private key from a program when the web server starts",
    answers: ["apache/mod/mod_ssl.html"],
    holds: "SSLPassPhraseDialog",
  },
  {
    text: "attach the certificate authority's status response to the TLS handshake",
    answers: ["apache/mod/mod_ssl.html", "apache/ssl/ssl_howto.html"],
    holds: "stapling",
  },
  {
    text: "keep one subdirectory from being forwarded to the backend",
    answers: ["apache/mod/mod_proxy.html"],
    holds: "subdirectory",
  },
  {
    text: "change the domain in cookies that a backend sets",
    answers: ["apache/mod/mod_proxy.html"],
    holds: "ProxyPassReverseCookieDomain",
  },
  {
    text: "control what the proxy writes into the Via header",
    answers: ["apache/mod/mod_proxy.html"],
    holds: "ProxyVia",
  },
  {
    text: "see step by step in the log which rewriting rules were applied",
    answers: ["apache/mod/mod_rewrite.html"],
    holds: "trace",
  },
  {
    text: "sign in users of a Windows domain through the global catalog of the forest",
    answers: ["apache/mod/mod_authnz_ldap.html"],
    holds: "Global Catalog",
  },
  {
    text: "stop many simultaneous requests for the same expired entry from hitting the backend at once",
    answers: ["apache/mod/mod_cache.html"],
    holds: "thundering herd",
  },
  {
    text: "serve an outdated cached copy when the backend answers with an error",
    answers: ["apache/mod/mod_cache.html"],
    holds: "CacheStaleOnError",
  },
  {
    text: "send resources to the browser over HTTP/2 before it asks for them",
    answers: ["apache/mod/mod_http2.html", "apache/howto/http2.html"],
    holds: "push",
  },
  {
    text: "run a script written in Lua as the very first handler of each request",
    answers: ["apache/mod/mod_lua.html"],
    holds: "LuaQuickHandler",
  },
  {
    text: "accept the terms of service of the authority that issues certificates automatically",
    answers: ["apache/mod/mod_md.html"],
    holds: "MDCertificateAgreement",
  },
  {
    text: "how is a file treated whose name ends in several extensions, one for language and one for encoding",
    answers: ["apache/mod/mod_mime.html"],
    holds: "Multiple Extensions",
  },
  {
    text: "have each worker process replaced after it served a number of connections, against memory leaks",
    answers: ["apache/mod/mpm_common.html"],
    holds: "MaxConnectionsPerChild",
  },
  {
    text: "read the parameters of a form that was posted from within a C handler of my own module",
    answers: ["apache/developer/modguide.html"],
    holds: "POST",
  },
  {
    text: "which characters may stand in the version number of a Debian package, and how are two compared",
    answers: ["policy/policy.html/ch-controlfields.html"],
    holds: "epoch",
  },
  {
    text: "field of a control file that says whether building the package needs root",
    answers: ["policy/policy.html/ch-controlfields.html"],
    holds: "Rules-Requires-Root",
  },
  {
    text: "temporary files that must survive a reboot belong in which directory",
    answers: ["policy/fhs/fhs-3.0.html"],
    holds: "/var/tmp",
  },
  {
    text: "place for big add-on software packages that do not come with the distribution",
    answers: ["policy/fhs/fhs-3.0.html"],
    holds: "/opt",
  },
  {
    text: "give up a package and declare it orphaned",
    answers: ["devref/pkgs.html", "devref/developers-reference.html"],
    holds: "rphan",
  },
  {
    text: "upload a fix for somebody else's package without being its maintainer",
    answers: ["devref/pkgs.html", "devref/developers-reference.html"],
    holds: "NMU",
  },
  {
    text: "how should the short one-line synopsis of a package be worded",
    answers: ["devref/best-pkging-practices.html", "devref/developers-reference.html"],
    holds: "synopsis",
  },
  {
    text: "go back to older package versions after installing from an unstable archive",
    answers: ["reference/ch02.en.html"],
    holds: "owngrad",
  },
  {
    text: "find out which package installed a given file although it is not installed here",
    answers: ["reference/ch02.en.html"],
    holds: "apt-file",
  },
  {
    text: "encrypt a removable disk with dm-crypt and LUKS",
    answers: ["reference/ch09.en.html"],
    holds: "LUKS",
  },
  {
    text: "recover files deleted by accident from a disk",
    answers: ["reference/ch09.en.html"],
    holds: "recover",
  },
  {
    text: "what do the extra bits such as the sticky bit mean in file permissions",
    answers: ["reference/ch01.en.html"],
    holds: "sticky",
  },
  {
    text: "fetch from a different host by replacing the beginning of repository addresses",
    answers: ["git/git-config.html"],
    holds: "insteadOf",
  },
  {
    text: "how many loose objects may pile up before housekeeping runs by itself",
    answers: ["git/git-config.html", "git/git-gc.html"],
    holds: "gc.auto",
  },
  {
    text: "make pulling rebase instead of merge for every new tracking branch",
    answers: ["git/git-config.html"],
    holds: "autoSetupRebase",
  },
  {
    text: "what is a dangling object and may it be deleted",
    answers: ["git/user-manual.html"],
    holds: "Dangling objects",
  },
  {
    text: "bring back a branch that was reset or deleted by looking at where it pointed before",
    answers: ["git/user-manual.html", "git/git-reflog.html"],
    holds: "reflog",
  },
  {
    text: "copy a directory within a stream of commits that is being imported",
    answers: ["git/git-fast-import.html"],
    holds: "filecopy",
  },
  {
    text: "force the importer to close the current packfile and save its marks in between",
    answers: ["git/git-fast-import.html"],
    holds: "checkpoint",
  },
  {
    text: "fold fixup commits into the ones they mend without reordering the list by hand",
    answers: ["git/git-rebase.html"],
    holds: "autosquash",
  },
  {
    text: "environment variable that prints all packets of a fetch for debugging",
    answers: ["git/git.html", "git/index.html"],
    holds: "GIT_TRACE_PACKET",
  },
  {
    text: "list only commits that are on exactly one side of two branches and mark which side",
    answers: ["git/git-rev-list.html", "git/git-log.html"],
    holds: "left-right",
  },
  {
    text: "look inside the object database of a new repository by hand, as a first lesson",
    answers: ["git/gitcore-tutorial.html"],
    holds: "object",
  },
  {
    text: "how long did each statement take, shown in the interactive terminal",
    answers: ["postgresql/app-psql.html"],
    holds: "\\timing",
  },
  {
    text: "repeat the last query every few seconds until interrupted",
    answers: ["postgresql/app-psql.html"],
    holds: "\\watch",
  },
  {
    text: "store the columns of a query's result in variables of the interactive terminal",
    answers: ["postgresql/app-psql.html"],
    holds: "\\gset",
  },
  {
    text: "function that cancels the running query of another session",
    answers: ["postgresql/functions-admin.html"],
    holds: "pg_cancel_backend",
  },
  {
    text: "how many bytes does a table take together with its indexes",
    answers: ["postgresql/functions-admin.html"],
    holds: "pg_total_relation_size",
  },
  {
    text: "ask whether the current user may select from a table",
    answers: ["postgresql/functions-info.html"],
    holds: "has_table_privilege",
  },
  {
    text: "match only if something does not follow, in a regular expression of the database",
    answers: ["postgresql/functions-matching.html"],
    holds: "ookahead",
  },
  {
    text: "connect to whichever of several hosts accepts writes",
    answers: ["postgresql/libpq-connect.html"],
    holds: "target_session_attrs",
  },
  {
    text: "quote an identifier safely for an SQL command built in a C program",
    answers: ["postgresql/libpq-exec.html"],
    holds: "PQescapeIdentifier",
  },
  {
    text: "which sessions are waiting right now, and for what kind of event",
    answers: ["postgresql/monitoring-stats.html"],
    holds: "wait_event",
  },
  {
    text: "benchmark at a given target rate instead of as fast as possible",
    answers: ["postgresql/pgbench.html"],
    holds: "--rate",
  },
  {
    text: "make an existing table a partition of another one",
    answers: ["postgresql/sql-altertable.html", "postgresql/ddl-partitioning.html"],
    holds: "ATTACH PARTITION",
  },
  {
    text: "create a table with the same columns, defaults and indexes as another",
    answers: ["postgresql/sql-createtable.html"],
    holds: "INCLUDING",
  },
  {
    text: "skip rows that are locked by other transactions when taking work from a queue",
    answers: ["postgresql/sql-select.html"],
    holds: "SKIP LOCKED",
  },
  {
    text: "return a random sample of a table's rows",
    answers: ["postgresql/sql-select.html", "postgresql/tablesample-method.html"],
    holds: "TABLESAMPLE",
  },
  {
    text: "return a row with several columns from a function written in C",
    answers: ["postgresql/xfunc-c.html"],
    holds: "omposite",
  },
  {
    text: "let the remote server carry out a join of two foreign tables",
    answers: ["postgresql/fdw-callbacks.html"],
    holds: "GetForeignJoinPaths",
  },
  {
    text: "ordinary users can no longer create objects in the public schema: since when and why",
    answers: ["postgresql/release-15.html", "postgresql/ddl-schemas.html"],
    holds: "CREATE",
  },
  {
    text: "what is meant by the fork of a relation, in the database's vocabulary",
    answers: ["postgresql/glossary.html"],
    holds: "Fork",
  },
]
