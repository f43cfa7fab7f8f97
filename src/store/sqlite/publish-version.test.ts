import { expect, test } from "vitest";
import { ApiError } from "../../contract/errors.ts";
import { noon, samplePublish } from "../suite/samples.ts";
import { openWriter } from "./connection.ts";
import { preparePublishVersion } from "./publish-version.ts";
import { encodePublish } from "./version-insert.ts";

function openPublished() {
  const { db } = openWriter({ file: ":memory:" });
  const publish = preparePublishVersion(db);
  const first = publish(encodePublish(samplePublish())).value;
  db.prepare("UPDATE workflows SET deleted_at = ? WHERE uuid = ?").run(noon, first.workflowId);
  return { db, publish, first };
}

test("publishing the slug of a deleted workflow brings it back with its next version", () => {
  const { db, publish, first } = openPublished();
  const { value } = publish(encodePublish(samplePublish({ at: noon + 1 })));
  expect(value).toMatchObject({ workflowId: first.workflowId, version: 2, archivedVersion: 1 });
  const rows = db.prepare("SELECT uuid, deleted_at AS deletedAt, created_at AS createdAt FROM workflows").all();
  expect(rows).toEqual([{ uuid: first.workflowId, deletedAt: null, createdAt: noon }]);
});

test("the slug of a deleted workflow stays reserved for it", () => {
  const { publish } = openPublished();
  const other = publish(encodePublish(samplePublish({ slug: null }))).value;
  const take = () => publish(encodePublish(samplePublish({ workflowId: other.workflowId })));
  expect(take).toThrow(ApiError);
  expect(take).toThrow(/slug refund belongs to another workflow/);
});
