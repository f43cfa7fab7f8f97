import type { ConnectorOperation } from "../../engine/connector.ts";
import type { Schema } from "../define-operation.ts";
import { after, defineRequest, id, limit, segment } from "./define-request.ts";
import { pageOf } from "./page.ts";

const kind: Schema = {
  type: "string",
  enum: ["contacts", "companies", "deals", "notes"],
  description: "Kind of record",
};

const associate = defineRequest({
  key: "associate",
  name: "Associate two records",
  description:
    "Links two records, such as a contact with its company, in HubSpot's default way. Linking twice changes nothing.",
  required: ["from_type", "from_id", "to_type", "to_id"],
  properties: { from_type: kind, from_id: id, to_type: kind, to_id: id },
  request: (input) => ({
    method: "PUT",
    path: `/crm/v4/objects/${segment(input["from_type"])}/${segment(input["from_id"])}/associations/default/${segment(input["to_type"])}/${segment(input["to_id"])}`,
  }),
  output: (_, { from_id: from = null, to_id: to = null }) => ({ from_id: from, to_id: to, associated: true }),
  effects: "idempotent",
});

const listAssociations = defineRequest({
  key: "list_associations",
  name: "List associated records",
  description: "Returns the ids of the records of one kind that a record is linked with, as {results, next_after}.",
  required: ["from_type", "from_id", "to_type"],
  properties: { from_type: kind, from_id: id, to_type: kind, limit, after },
  request: ({ from_type: from, from_id: record, to_type: to, limit: size, after: next }) => ({
    method: "GET",
    path: `/crm/v4/objects/${segment(from)}/${segment(record)}/associations/${segment(to)}`,
    query: { limit: size, after: next },
  }),
  output: pageOf,
  effects: "idempotent",
});

/** HubSpot's own numbers for what a note hangs on. */
const noteTypes = { contacts: 202, companies: 190, deals: 214 } as const;

const createNote = defineRequest({
  key: "create_note",
  name: "Write a note",
  description:
    "Writes a note onto a contact, company or deal, where people see it in the record's timeline. HTML is fine.",
  required: ["to_type", "to_id", "body"],
  properties: {
    to_type: { type: "string", enum: Object.keys(noteTypes), description: "Kind of the record" },
    to_id: id,
    body: { type: "string", minLength: 1, maxLength: 65_536, description: "The note's text" },
    owner_id: { type: ["string", "integer"], description: "Who wrote it; list_owners tells" },
    at: { type: "string", description: "When it was written (ISO 8601); now by default" },
  },
  request: ({ to_type: type, to_id: record = null, body = "", owner_id: owner, at }, call) => ({
    method: "POST",
    path: "/crm/v3/objects/notes",
    body: {
      properties: {
        hs_timestamp: at ?? call.now().toISOString(),
        hs_note_body: body,
        ...(owner !== undefined && { hubspot_owner_id: owner }),
      },
      associations: [
        {
          to: { id: record },
          types: [
            {
              associationCategory: "HUBSPOT_DEFINED",
              associationTypeId: noteTypes[type === "companies" || type === "deals" ? type : "contacts"],
            },
          ],
        },
      ],
    },
  }),
});

const listOwners = defineRequest({
  key: "list_owners",
  name: "List owners",
  description:
    "Returns the users who can own records, as {results, next_after}; find one by email to get the id for hubspot_owner_id.",
  properties: { email: { type: "string", description: "Only the owner with this address" }, limit, after },
  request: ({ email, limit: size, after: next }) => ({
    method: "GET",
    path: "/crm/v3/owners",
    query: { email, limit: size, after: next },
  }),
  output: pageOf,
  effects: "idempotent",
});

export const otherOperations: readonly ConnectorOperation[] = [associate, listAssociations, createNote, listOwners];
