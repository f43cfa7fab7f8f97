import type { Connector } from "../../engine/connector.ts";
import { request } from "./request.ts";

/** Calls any HTTP service (contract 13). A connection adds credentials and, with a baseUrl, binds them to one service. */
export const http: Connector = {
  slug: "http",
  name: "HTTP",
  description: "Calls any HTTP or HTTPS address, with the credentials of a connection or without.",
  version: "1.0.0",
  auth: {
    type: "custom",
    optional: true,
    fields: [
      {
        name: "token",
        label: "Bearer token",
        secret: true,
        required: false,
        description: "Sent as Authorization: Bearer",
      },
      { name: "username", label: "User name", secret: false, required: false, description: "For basic authentication" },
      { name: "password", label: "Password", secret: true, required: false, description: "For basic authentication" },
      {
        name: "api_key",
        label: "API key",
        secret: true,
        required: false,
        description: "Sent in the header that header_name says, X-API-Key by default, or as the query's query_name",
      },
      { name: "header_name", label: "Header of the API key", secret: false, required: false },
      { name: "query_name", label: "Query parameter of the API key", secret: false, required: false },
    ],
  },
  baseUrl: null,
  operations: [request],
  triggers: [],
};
