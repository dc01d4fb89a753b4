/** Addresses of the cluster that the tests talk to, from `OPENSEARCH_URLS`. */
export function clusterUnderTest(): readonly string[] {
  const urls = (process.env["OPENSEARCH_URLS"] ?? "").split(",").filter((url) => url !== "")
  if (urls.length > 0) return urls
  throw new Error("These tests need an OpenSearch cluster: npm run test:opensearch starts one.")
}
