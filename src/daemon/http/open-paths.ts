/** What is served without a key, as the API's description has it: path, method and operation. */
export const openPaths: readonly [path: string, method: string, operation: { [key: string]: unknown }][] = [
  ["/healthz", "get", open("getHealth", "Whether the daemon lives", "application/json")],
  ["/readyz", "get", open("getReadiness", "200 when the daemon takes requests, else 503", "application/json")],
  ["/metrics", "get", open("getMetrics", "Prometheus metrics, for callers on the daemon's machine", "text/plain")],
  ["/api/v1/openapi.json", "get", open("getDescription", "This description", "application/json")],
];

function open(
  operationId: string,
  summary: string,
  type: "application/json" | "text/plain",
): { [key: string]: unknown } {
  const schema = type === "text/plain" ? { type: "string" } : { type: "object" };
  return {
    operationId,
    summary,
    security: [],
    responses: { 200: { description: summary, content: { [type]: { schema } } } },
  };
}
