/** A simple reference for how some domains in filters match: tests compare filters with it. */
export const DOMAINS: Readonly<Record<string, (url: URL) => boolean>> = {
  "example.com": ({ hostname }) => /^(?:.*\.)?example\.com$/.test(hostname),
  "docs.example.com": ({ hostname }) => hostname === "docs.example.com",
  localhost: ({ hostname }) => hostname === "localhost",
  "localhost:8080": ({ hostname, port }) => hostname === "localhost" && port === "8080",
  "localhost:1": () => false,
  "example.co.uk:443": ({ hostname }) => hostname === "example.co.uk",
  "co.uk": () => false,
  "example.net": () => false,
  "notexample.com": ({ hostname }) => hostname === "notexample.com",
}
