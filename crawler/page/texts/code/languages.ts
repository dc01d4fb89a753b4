import { lazily } from "#base/process/lazily.ts"

/** A pattern for lines that declare a symbol, and the word for the symbol's kind. */
export interface SymbolForm {
  /** The word before the name in a heading. If empty, the text of the pattern's group `kind` is used. */
  readonly kind: string
  /** Must have a group `name`. Can have a group `kind`, and a group `of` for the type that a method belongs to. */
  readonly form: () => RegExp
  /** Whether the symbol can contain other symbols. */
  readonly isContainer?: true
  /** Whether the pattern applies only inside a container; elsewhere, such a line means something else. */
  readonly isMember?: true
}

export interface Language {
  /** The name used in markdown code fences. */
  readonly name: string
  readonly endings: readonly string[]
  readonly fileNames?: readonly string[]
  /** Interpreters named in a `#!` line. */
  readonly programs?: readonly string[]
  /** The beginnings of lines above a symbol that belong to it, such as comments. */
  readonly above: RegExp
  readonly symbols: readonly SymbolForm[]
  /** The beginnings and ends of multi-line strings and comments, in which nothing is declared. */
  readonly quotes?: readonly (readonly [begin: string, end: string])[]
  /** Whether functions are recognised by a first line that is not indented, as in C. */
  readonly isCLike?: true
}

const C_ABOVE = /^\s*(?:\/\/|\/\*|\*|@|#\[|\[[A-Z]\w*|template\s*<)/
const HASH_ABOVE = /^\s*(?:#|@)/
const C_QUOTES = [["/*", "*/"]] as const

const word = "[\\p{L}_$][\\p{L}\\p{N}_$]*"
/**
 * A pattern in which `NAME` matches a name and a blank matches any white space. Compiled only when needed: every
 * process that fetches has this table, and few need the patterns.
 */
const form = (pattern: string, flags = "u"): (() => RegExp) =>
  lazily(
    () => new RegExp(`^\\s*${pattern.replaceAll("NAME", `(?<name>${word})`).replaceAll(" ", "\\s+")}`, flags),
  )

const JS_SYMBOLS: readonly SymbolForm[] = [
  {
    kind: "class",
    form: form("(?:export )?(?:default )?(?:declare )?(?:abstract )?class NAME"),
    isContainer: true,
  },
  {
    kind: "",
    form: form("(?:export )?(?:declare )?(?<kind>interface|namespace|module) NAME\\b(?!\\.|\\s*[=(])"),
    isContainer: true,
  },
  { kind: "", form: form("(?:export )?(?:declare )?(?:const )?(?<kind>enum) NAME") },
  { kind: "type", form: form("(?:export )?(?:declare )?type NAME\\s*(?:<[^=]{0,200}>\\s*)?=") },
  {
    kind: "function",
    form: form("(?:export )?(?:default )?(?:declare )?(?:async )?function\\s*\\*?\\s*NAME"),
  },
  {
    kind: "function",
    form: form(
      "(?:export )?(?:const|let|var) NAME\\s*(?::[^=]{1,200})?=\\s*(?:async\\s*)?(?:function\\b|\\([^()]{0,300}\\)\\s*(?::[^=]{1,200})?=>|[\\w$]{1,60}\\s*=>|\\($|<[\\w, ]{1,60}>\\s*\\()",
    ),
  },
  { kind: "constant", form: form("export (?:const|let|var) NAME\\b") },
  {
    kind: "function",
    form: form(
      `(?:module\\.)?exports(?:\\.${word})*\\.NAME\\s*=(?:\\s*[\\w$.]{1,80}\\s*=)?\\s*(?:async\\s*)?function\\b`,
    ),
  },
  {
    kind: "function",
    form: form(
      `(?!module\\b|exports\\b|this\\b)${word}(?:\\.${word}){0,3}\\.NAME\\s*=\\s*(?:async\\s*)?function\\b`,
    ),
  },
  {
    kind: "method",
    form: form(
      "(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set) ){0,5}(?!(?:if|for|while|switch|catch|function|return|new|super|await|throw|typeof|constructor\\s*\\(\\)\\s*;)\\b)\\*?\\s*(?<name>#?[\\p{L}_$][\\p{L}\\p{N}_$]*)\\s*(?:<[^()]{0,100}>)?\\((?:[^;]*\\{\\s*$|[^;]*\\)\\s*(?::[^;{]{1,200})?\\{.*\\}\\s*$|\\s*$|[^;)]*,\\s*$)",
    ),
    isMember: true,
  },
]

const JAVA_MODIFIERS =
  "(?:(?:public|private|protected|internal|static|final|abstract|sealed|non-sealed|partial|readonly|override|virtual|async|synchronized|native|default|unsafe|extern|new|required|strictfp|file|ref) )*"

/** A type before a name: words, dots, and the brackets of generics and arrays. */
const TYPE = "[\\p{L}_][\\p{L}\\p{N}_.]*(?:<[^()=;{}]{0,200}>)?(?:\\[[\\], ]{0,10})?[?&*]{0,2}"
const NO_WORD =
  "(?!(?:return|new|else|throw|await|yield|case|goto|using|package|import|delete|typedef|if|while|for|switch|catch|do|lock|var)\\b)"

export const LANGUAGES: readonly Language[] = [
  { name: "ts", endings: ["ts", "mts", "cts"], above: C_ABOVE, quotes: C_QUOTES, symbols: JS_SYMBOLS },
  { name: "tsx", endings: ["tsx"], above: C_ABOVE, quotes: C_QUOTES, symbols: JS_SYMBOLS },
  {
    name: "js",
    endings: ["js", "mjs", "cjs"],
    programs: ["node", "deno", "bun"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: JS_SYMBOLS,
  },
  { name: "jsx", endings: ["jsx"], above: C_ABOVE, quotes: C_QUOTES, symbols: JS_SYMBOLS },
  {
    name: "python",
    endings: ["py", "pyi", "pyw", "pyx"],
    programs: ["python", "python3", "python2"],
    above: HASH_ABOVE,
    quotes: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    symbols: [
      { kind: "class", form: form("class NAME"), isContainer: true },
      { kind: "function", form: form("(?:async )?def NAME") },
    ],
  },
  {
    name: "java",
    endings: ["java"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(`${JAVA_MODIFIERS}(?<kind>class|interface|enum|record|@interface) NAME`),
        isContainer: true,
      },
      {
        kind: "method",
        form: form(
          `${JAVA_MODIFIERS}(?:<[^()]{1,200}>\\s*)?${NO_WORD}(?:${TYPE} )?NAME\\s*\\((?!.*;\\s*$)(?!.*\\)\\s*\\.)`,
        ),
        isMember: true,
      },
      {
        kind: "method",
        form: form(
          `(?:public|protected|abstract) ${JAVA_MODIFIERS}(?:<[^()]{1,200}>\\s*)?${NO_WORD}${TYPE} NAME\\s*\\(`,
        ),
        isMember: true,
      },
    ],
  },
  {
    name: "kotlin",
    endings: ["kt", "kts"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(
          "(?:(?:public|private|protected|internal|open|abstract|sealed|data|inner|enum|annotation|value|inline|companion|fun) ){0,6}(?<kind>class|interface|object) NAME",
        ),
        isContainer: true,
      },
      {
        kind: "function",
        form: form(
          `(?:(?:public|private|protected|internal|open|override|abstract|suspend|inline|operator|infix|tailrec|final|actual|expect) ){0,6}fun (?:<[^()]{1,200}>\\s*)?(?:${word}(?:<[^()]{0,100}>)?\\??\\.)?NAME\\s*\\(`,
        ),
      },
    ],
  },
  {
    name: "go",
    endings: ["go"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "method",
        form: form(`func \\(\\s*(?:${word} )?\\*?(?<of>${word})(?:\\[[^\\]]{0,100}\\])?\\s*\\)\\s*NAME`),
      },
      { kind: "function", form: form("func NAME") },
      { kind: "type", form: form("type NAME") },
    ],
  },
  {
    name: "rust",
    endings: ["rs"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form("(?:pub(?:\\([^)]{0,40}\\))? )?(?:unsafe )?(?<kind>trait|mod) NAME(?!\\s*;)"),
        isContainer: true,
      },
      { kind: "", form: form("(?:pub(?:\\([^)]{0,40}\\))? )?(?<kind>struct|enum|union|type) NAME") },
      {
        kind: "impl",
        form: form(
          `(?:unsafe )?impl\\b\\s*(?:<[^{]{0,200}?>\\s+)?(?<name>[\\p{L}_][^{]{0,200}?)(?=\\s*(?:\\{|where\\b|$))`,
        ),
        isContainer: true,
      },
      { kind: "macro", form: form("macro_rules!\\s*NAME") },
      {
        kind: "function",
        form: form(
          '(?:pub(?:\\([^)]{0,40}\\))? )?(?:(?:default|const|async|unsafe|extern|"C") ){0,5}fn NAME',
        ),
      },
    ],
  },
  {
    name: "c",
    endings: ["c", "h"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    isCLike: true,
    symbols: [
      { kind: "", form: form("(?:typedef )?(?<kind>struct|union|enum) NAME\\s*(?:\\{|$)") },
      { kind: "macro", form: form("#\\s*define NAME\\([^)]{0,200}\\)") },
    ],
  },
  {
    name: "cpp",
    endings: ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "c++", "cu", "ino"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    isCLike: true,
    symbols: [
      {
        kind: "",
        form: form(
          "(?:template\\s*<[^{};]{0,200}>\\s*)?(?:typedef )?(?<kind>class|struct|union|enum class|enum) (?:[A-Z_]{2,40} )?NAME\\s*(?:final\\s*)?(?:[:{]|$)(?!.*;\\s*$)",
        ),
        isContainer: true,
      },
      {
        kind: "namespace",
        form: form("(?:inline )?namespace (?<name>[\\p{L}_][\\p{L}\\p{N}_:]*)\\s*\\{?\\s*$"),
        isContainer: true,
      },
      {
        kind: "method",
        form: form(
          `${NO_WORD}(?:${TYPE}(?:\\s+[&*]{0,2}|[&*]{1,2})){0,4}(?<name>~?${word}|operator\\s*[^\\s(]{1,20})\\s*\\((?!.*;\\s*$)[^;]*\\{`,
        ),
        isMember: true,
      },
    ],
  },
  {
    name: "csharp",
    endings: ["cs"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(`${JAVA_MODIFIERS}(?<kind>class|interface|struct|enum|record(?: struct| class)?) NAME`),
        isContainer: true,
      },
      {
        kind: "namespace",
        form: form("namespace (?<name>[\\p{L}_][\\p{L}\\p{N}_.]*)\\s*\\{?\\s*$"),
        isContainer: true,
      },
      {
        kind: "method",
        form: form(
          `${JAVA_MODIFIERS}${NO_WORD}(?:${TYPE} )NAME\\s*(?:<[^()]{0,100}>)?\\((?!.*\\)\\s*\\.)(?!.*(?<!\\)|=>.{0,400});\\s*$)`,
        ),
        isMember: true,
      },
      { kind: "method", form: form(`(?:public|private|protected|internal) NAME\\s*\\(`), isMember: true },
      {
        kind: "property",
        form: form(`(?:public|protected|internal) ${JAVA_MODIFIERS}${TYPE} NAME\\s*(?:\\{|=>|$)`),
        isMember: true,
      },
    ],
  },
  {
    name: "ruby",
    endings: ["rb", "rake", "gemspec", "ru"],
    fileNames: ["rakefile", "gemfile", "vagrantfile"],
    programs: ["ruby"],
    above: HASH_ABOVE,
    quotes: [["=begin", "=end"]],
    symbols: [
      { kind: "", form: form("(?<kind>class|module) (?<name>[A-Z][\\w:]*)"), isContainer: true },
      {
        kind: "method",
        form: form("def (?<name>(?:self\\.)?[\\p{L}_][\\p{L}\\p{N}_]*[?!=]?|[^\\s\\w(]{1,3})"),
      },
    ],
  },
  {
    name: "php",
    endings: ["php", "phtml", "inc"],
    programs: ["php"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form("(?:(?:abstract|final|readonly) ){0,3}(?<kind>class|interface|trait|enum) NAME"),
        isContainer: true,
      },
      {
        kind: "function",
        form: form("(?:(?:public|private|protected|static|abstract|final) ){0,4}function\\s+&?NAME"),
      },
    ],
  },
  {
    name: "swift",
    endings: ["swift"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(
          "(?:(?:public|private|internal|fileprivate|open|final|indirect) ){0,4}(?<kind>class|struct|enum|protocol|extension|actor) (?!func\\b|var\\b)NAME",
        ),
        isContainer: true,
      },
      {
        kind: "function",
        form: form(
          "(?:@\\w+ )?(?:(?:public|private|internal|fileprivate|open|static|class|override|mutating|final|required) ){0,5}func NAME",
        ),
      },
    ],
  },
  {
    name: "scala",
    endings: ["scala", "sc"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(
          "(?:(?:private|protected|final|sealed|abstract|implicit|case)(?:\\[\\w+\\])? ){0,5}(?<kind>class|object|trait|enum) NAME",
        ),
        isContainer: true,
      },
      {
        kind: "method",
        form: form("(?:(?:private|protected|final|override|implicit|inline)(?:\\[\\w+\\])? ){0,5}def NAME"),
      },
    ],
  },
  {
    name: "bash",
    endings: ["sh", "bash", "zsh", "ksh", "bats"],
    programs: ["sh", "bash", "zsh", "dash", "ksh"],
    above: HASH_ABOVE,
    symbols: [
      {
        kind: "function",
        form: form("(?:function )?(?<name>[\\p{L}_][\\p{L}\\p{N}_:.-]*)\\s*\\(\\s*\\)\\s*(?:[{(]|$)"),
      },
      { kind: "function", form: form("function (?<name>[\\p{L}_][\\p{L}\\p{N}_:.-]*)\\s*(?:\\{|$)") },
    ],
  },
  {
    name: "powershell",
    endings: ["ps1", "psm1"],
    above: HASH_ABOVE,
    quotes: [["<#", "#>"]],
    symbols: [{ kind: "function", form: form("function (?<name>[\\p{L}_][\\p{L}\\p{N}_:-]*)", "iu") }],
  },
  {
    name: "sql",
    endings: ["sql", "ddl", "pgsql"],
    above: /^\s*(?:--|\/\*|\*)/,
    quotes: C_QUOTES,
    symbols: [
      {
        kind: "",
        form: form(
          "create (?:or (?:replace|alter) )?(?:(?:global|local|temporary|temp|unlogged|materialized|unique|recursive|definer|external|virtual) ){0,3}(?<kind>table|view|function|procedure|index|trigger|type|schema|sequence|domain|materialized view) (?:concurrently )?(?:if not exists )?(?<name>[^\\s(;]{1,200})",
          "iu",
        ),
      },
      { kind: "table", form: form("alter table (?:only )?(?:if exists )?(?<name>[^\\s(;]{1,200})", "iu") },
    ],
  },
  {
    name: "lua",
    endings: ["lua"],
    programs: ["lua"],
    above: /^\s*--/,
    quotes: [["--[[", "]]"]],
    symbols: [{ kind: "function", form: form("(?:local )?function (?<name>[\\p{L}_][\\p{L}\\p{N}_.:]*)") }],
  },
  {
    name: "perl",
    endings: ["pl", "pm"],
    programs: ["perl"],
    above: /^\s*#/,
    symbols: [
      { kind: "sub", form: form("sub NAME") },
      { kind: "package", form: form("package (?<name>[\\w:]{1,100})") },
    ],
  },
  {
    name: "proto",
    endings: ["proto"],
    above: C_ABOVE,
    quotes: C_QUOTES,
    symbols: [
      { kind: "", form: form("(?<kind>message|service|enum) NAME"), isContainer: true },
      { kind: "rpc", form: form("rpc NAME"), isMember: true },
    ],
  },
  {
    name: "graphql",
    endings: ["graphql", "gql"],
    above: /^\s*(?:#|""")/,
    symbols: [
      {
        kind: "",
        form: form(
          "(?:extend )?(?<kind>type|input|interface|enum|union|scalar|query|mutation|fragment) NAME",
        ),
      },
    ],
  },
  {
    name: "hcl",
    endings: ["tf", "hcl"],
    above: /^\s*(?:#|\/\/)/,
    symbols: [
      { kind: "", form: form('(?<kind>resource|data) "(?<name>[^"]{1,100}"\\s+"[^"]{1,100})"') },
      { kind: "", form: form('(?<kind>variable|output|module|provider) "(?<name>[^"]{1,100})"') },
    ],
  },
  // Data and settings: code without symbols.
  ...(
    [
      ["json", ["json", "jsonc", "json5"]],
      ["yaml", ["yaml", "yml"]],
      ["toml", ["toml"]],
      ["ini", ["ini", "cfg", "conf", "properties", "env"]],
      ["css", ["css", "scss", "less"]],
      ["vue", ["vue", "svelte"]],
      ["dockerfile", ["dockerfile"], ["dockerfile", "containerfile"]],
      ["makefile", ["mk", "mak"], ["makefile", "gnumakefile"]],
      ["cmake", ["cmake"], ["cmakelists.txt"]],
      ["diff", ["diff", "patch"]],
      ["r", ["r"]],
      ["elixir", ["ex", "exs"]],
      ["haskell", ["hs"]],
      ["clojure", ["clj", "cljs"]],
      ["elisp", ["el"]],
      ["dart", ["dart"]],
      ["groovy", ["groovy", "gradle"]],
    ] as const
  ).map(([name, endings, fileNames = []]): Language => ({
    name,
    endings,
    fileNames,
    above: /^(?!)/,
    symbols: [],
  })),
]
