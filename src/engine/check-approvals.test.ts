import { expect, it } from "vitest";
import { single } from "../../test/support/definitions.ts";
import { checkApprovals } from "./check-approvals.ts";

it("refuses every gate as long as gates are not available", () => {
  const gated = single("noop", "{requireApproval: true}");
  const issues = checkApprovals({ ...gated, approval_policy: "always" });
  expect(issues.map(({ severity, code, path, node_id }) => [severity, code, path, node_id])).toEqual([
    ["error", "approvals_unavailable", "/approval_policy", undefined],
    ["error", "approvals_unavailable", "/nodes/1/data/requireApproval", "a"],
  ]);
  expect(checkApprovals(single("noop", "{requireApproval: false}"))).toEqual([]);
});
