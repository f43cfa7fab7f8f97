import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation } from "../../engine/connector.ts";
import { toText } from "../../engine/values/json.ts";
import { after, defineRequest, id, limit, properties, propertyNames, segment } from "./define-request.ts";
import { pageOf } from "./page.ts";

/** A kind of record, with an example of how it is made and found. */
type Kind = { one: string; many: string; example: string; find: string };

const kinds: readonly Kind[] = [
  { one: "contact", many: "contacts", example: "email, firstname, lastname, phone", find: "email" },
  { one: "company", many: "companies", example: "name, domain, city", find: "domain" },
  { one: "deal", many: "deals", example: "dealname, amount, dealstage, pipeline", find: "dealname" },
];

const operators =
  "EQ NEQ LT LTE GT GTE BETWEEN IN NOT_IN HAS_PROPERTY NOT_HAS_PROPERTY CONTAINS_TOKEN NOT_CONTAINS_TOKEN".split(" ");

/** Making, reading, changing, archiving, listing and searching the records of each kind. */
export const objectOperations: readonly ConnectorOperation[] = kinds.flatMap((kind) => [
  create(kind),
  read(kind),
  update(kind),
  archive(kind),
  list(kind),
  search(kind),
]);

const pathOf = ({ many }: Kind): string => `/crm/v3/objects/${many}`;

function create(kind: Kind): ConnectorOperation {
  const { one, example, find } = kind;
  return defineRequest({
    key: `create_${one}`,
    name: `Create a ${one}`,
    description: `Makes a ${one} and returns it with its id. Give properties by their internal names: ${example}. Search by ${find} first where it may exist already; a crash never makes a second one.`,
    required: ["properties"],
    properties: { properties },
    request: ({ properties: given = {} }) => ({ method: "POST", path: pathOf(kind), body: { properties: given } }),
  });
}

function read(kind: Kind): ConnectorOperation {
  const { one, find } = kind;
  return defineRequest({
    key: `get_${one}`,
    name: `Read a ${one}`,
    description: `Returns a ${one} by its id, or by another unique property such as ${find} with id_property.`,
    required: ["id"],
    properties: {
      id,
      id_property: { type: "string", description: "Unique property that id is a value of, in place of the id" },
      properties: propertyNames,
      associations: {
        type: "array",
        items: { type: "string" },
        description: "Kinds of records whose ids are returned along, such as companies",
      },
    },
    request: ({ id: record, id_property: idProperty, properties: names, associations }) => ({
      method: "GET",
      path: `${pathOf(kind)}/${segment(record)}`,
      query: { properties: joined(names), associations: joined(associations), idProperty },
    }),
    effects: "idempotent",
  });
}

function update(kind: Kind): ConnectorOperation {
  const { one } = kind;
  return defineRequest({
    key: `update_${one}`,
    name: `Change a ${one}`,
    description: `Sets properties of a ${one}; others stay as they are, and an empty text clears one.`,
    required: ["id", "properties"],
    properties: { id, properties },
    request: ({ id: record, properties: given = {} }) => ({
      method: "PATCH",
      path: `${pathOf(kind)}/${segment(record)}`,
      body: { properties: given },
    }),
    // The same values, set again.
    effects: "idempotent",
  });
}

function archive(kind: Kind): ConnectorOperation {
  const { one, many } = kind;
  return defineRequest({
    key: `delete_${one}`,
    name: `Delete a ${one}`,
    description: `Moves a ${one} to the bin, from where people can restore it for 90 days. ${many} that are gone are no error.`,
    required: ["id"],
    properties: { id },
    request: ({ id: record }) => ({ method: "DELETE", path: `${pathOf(kind)}/${segment(record)}` }),
    output: (_, { id: record = null }) => ({ id: record, deleted: true }),
    effects: "idempotent",
  });
}

function list(kind: Kind): ConnectorOperation {
  const { many } = kind;
  return defineRequest({
    key: `list_${many}`,
    name: `List ${many}`,
    description: `Returns a page of ${many} as {results, next_after}; pass next_after as after until it is null.`,
    properties: { properties: propertyNames, limit, after },
    request: ({ properties: names, limit: size, after: from }) => ({
      method: "GET",
      path: pathOf(kind),
      query: { properties: joined(names), limit: size, after: from },
    }),
    output: pageOf,
    effects: "idempotent",
  });
}

function search(kind: Kind): ConnectorOperation {
  const { many, find } = kind;
  return defineRequest({
    key: `search_${many}`,
    name: `Search ${many}`,
    description: `Finds ${many} by their properties, such as [{"propertyName": "${find}", "operator": "EQ", "value": "…"}], or by words with query. All filters have to hold. Returns {results, total, next_after}. New records show up after some seconds.`,
    properties: {
      filters: {
        type: "array",
        maxItems: 6,
        description: "What has to hold of a record",
        items: {
          type: "object",
          required: ["propertyName", "operator"],
          properties: {
            propertyName: { type: "string" },
            operator: { type: "string", enum: operators },
            value: { type: ["string", "number", "boolean"] },
            highValue: { type: ["string", "number"] },
            values: { type: "array", items: { type: ["string", "number"] } },
          },
        },
      },
      query: { type: "string", description: "Words to look for in the usual properties" },
      sort_by: { type: "string", description: "Property to sort by" },
      descending: { type: "boolean", description: "Largest first" },
      properties: propertyNames,
      limit,
      after,
    },
    request: ({ filters, query, sort_by: sortBy, descending, properties: names, limit: size = 100, after: from }) => ({
      method: "POST",
      path: `${pathOf(kind)}/search`,
      body: {
        ...(filters !== undefined && { filterGroups: [{ filters }] }),
        ...(query !== undefined && { query }),
        ...(sortBy !== undefined && {
          sorts: [{ propertyName: sortBy, direction: descending === true ? "DESCENDING" : "ASCENDING" }],
        }),
        ...(names !== undefined && { properties: names }),
        limit: size,
        ...(from !== undefined && { after: from }),
      },
    }),
    output: pageOf,
    effects: "idempotent",
  });
}

function joined(names: Json | undefined): string | undefined {
  return Array.isArray(names) && names.length > 0 ? names.map(toText).join(",") : undefined;
}
