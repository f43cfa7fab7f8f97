import type { Connector } from "../../engine/connector.ts";
import { outcomeOf } from "../service-call.ts";
import { callApi, ownBaseUrl } from "./call-api.ts";
import { objectOperations } from "./objects.ts";
import { otherOperations } from "./other-operations.ts";
import { pollContacts } from "./poll-contacts.ts";

const secret = { secret: true, required: false } as const;

/** HubSpot's CRM (contract 13, CRM connector C). */
export const hubspot: Connector = {
  slug: "hubspot",
  name: "HubSpot",
  description: "Reads and changes contacts, companies, deals and notes of a HubSpot account.",
  version: "1.0.0",
  auth: {
    type: "oauth2",
    optional: false,
    fields: [
      { name: "token", label: "Private app token", ...secret, description: "pat-…; all that a private app needs" },
      {
        name: "client_id",
        label: "Client id",
        secret: false,
        required: false,
        description: "Of a public app (OAuth2)",
      },
      { name: "client_secret", label: "Client secret", ...secret },
      { name: "refresh_token", label: "Refresh token", ...secret },
      { name: "access_token", label: "Access token", ...secret },
    ],
    oauth2: {
      authorizationUrl: "https://app.hubspot.com/oauth/authorize",
      tokenUrl: `${ownBaseUrl}/oauth/v1/token`,
      // Most connections are those of a private app, for which nobody signs in.
      grant: "refresh_token",
      scopes: [
        "oauth",
        "crm.objects.contacts.read",
        "crm.objects.contacts.write",
        "crm.objects.companies.read",
        "crm.objects.companies.write",
        "crm.objects.deals.read",
        "crm.objects.deals.write",
        "crm.objects.owners.read",
      ],
      pkce: false,
    },
  },
  baseUrl: ownBaseUrl,
  operations: [...objectOperations, ...otherOperations],
  triggers: [
    {
      event: "new_contact",
      name: "New contact",
      description:
        "A contact was made: `{id, email, firstname, lastname, created_at, properties}`. Found by searching, so it comes some seconds to minutes later.",
      paramsSchema: {
        type: "object",
        additionalProperties: false,
        properties: {
          properties: {
            type: "array",
            items: { type: "string" },
            description: "Names of further properties to return",
          },
        },
      },
      outputSchema: null,
      poll: { everySeconds: 60, run: pollContacts },
    },
  ],
  async test(call) {
    const answer = await callApi(call, { method: "GET", path: "/crm/v3/objects/contacts", query: { limit: 1 } });
    return outcomeOf(answer, () => null);
  },
};
