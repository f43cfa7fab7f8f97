import type { ServerResponse } from "node:http";
import { HttpService, type Received } from "./http-service.ts";

type Data = Record<string, unknown>;
type Search = {
  filterGroups?: { filters: { propertyName: string; operator: string; value: string }[] }[];
  sorts?: { propertyName: string; direction: string }[];
  limit?: number;
  after?: string;
};

export const appToken = "pat-eu1-stand-in-of-the-tests";

/** HubSpot's CRM as it is on the wire, with a search that finds what was indexed. */
export class HubspotService {
  readonly http: HttpService;
  /** Contacts that the search knows. */
  indexed: Data[] = [];
  token = appToken;
  /** Answers the next requests in place of the service. */
  readonly refusals: { status: number; body: Data; headers?: Record<string, string> }[] = [];

  private constructor(http: HttpService) {
    this.http = http;
    http.answer = (request, response) => this.#answer(request, response);
  }

  static async start(): Promise<HubspotService> {
    return new HubspotService(await HttpService.start());
  }

  get requests(): string[] {
    return this.http.requests.map(({ method, url }) => `${method} ${url}`);
  }

  #answer({ method, url, headers, body }: Received, response: ServerResponse): void {
    const send = (status: number, answer: Data | null, extra: Record<string, string> = {}) =>
      void response
        .writeHead(status, { "content-type": "application/json;charset=utf-8", ...extra })
        .end(answer === null ? "" : JSON.stringify(answer));
    const refusal = this.refusals.shift();
    if (refusal) return send(refusal.status, refusal.body, refusal.headers);
    if (headers.authorization !== `Bearer ${this.token}`) {
      return send(401, hubspotError("INVALID_AUTHENTICATION", "Authentication credentials not found."));
    }
    const { pathname } = new URL(url, "http://x");
    if (method === "DELETE") return send(204, null);
    if (pathname.endsWith("/search")) return send(200, this.#search(JSON.parse(body) as Search));
    if (method === "GET" && !/\/\d+$/.test(pathname)) return send(200, { results: [record("7")] });
    if (method === "PUT") return send(200, { status: "COMPLETE", results: [] });
    const { properties = {} } = (body === "" ? {} : JSON.parse(body)) as Data;
    return send(method === "POST" ? 201 : 200, record("7", properties as Data));
  }

  #search({ filterGroups = [], sorts = [], limit = 10, after = "0" }: Search): Data {
    const filters = filterGroups.flatMap((group) => group.filters);
    const from = Number(filters.find(({ operator }) => operator === "GTE")?.value ?? 0);
    const sign = sorts[0]?.direction === "DESCENDING" ? -1 : 1;
    const at = (each: Data) => Date.parse(String((each["properties"] as Data)["createdate"]));
    const found = this.indexed.filter((each) => at(each) >= from).toSorted((a, b) => sign * (at(a) - at(b)));
    const start = Number(after);
    const next = start + limit < found.length ? { paging: { next: { after: String(start + limit), link: "?" } } } : {};
    return { total: found.length, results: found.slice(start, start + limit), ...next };
  }
}

function record(id: string, properties: Data = {}): Data {
  const at = "2026-01-15T10:00:00.000Z";
  return { id, properties: { ...properties, hs_object_id: id }, createdAt: at, updatedAt: at, archived: false };
}

/** A contact as the search returns it. */
export function contact(id: number, at: number): Data {
  return record(String(id), {
    email: `c${id}@example.com`,
    firstname: `N${id}`,
    createdate: new Date(at).toISOString(),
  });
}

export function hubspotError(category: string, message: string, extra: Data = {}): Data {
  return { status: "error", message, correlationId: "a43683b0-5717-4ceb-80b4-104d02915d8c", category, ...extra };
}
