import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import type { Decision } from "../../contract/approval.ts";
import { ApiError } from "../../contract/errors.ts";
import { decideApproval } from "../../engine/decide-approval.ts";
import type { Services } from "../../engine/services.ts";
import type { ApprovalRecord } from "../../store/store.ts";
import { approvalPage, messagePage } from "./approval-page.ts";
import { readBytes } from "./read-body.ts";
import type { HttpEnv } from "./serve-operations.ts";

const maxFormBytes = 16 * 1024;

/** Makes and reads the tokens of signed links: whoever has one may decide this one request, and nothing else. */
export type LinkTokens = {
  make(workspaceId: number, approvalId: string): string;
  read(token: string): { workspaceId: number; approvalId: string } | null;
};

/** Tokens under a key of their own, derived from the master key. */
export function createLinkTokens(masterKey: Uint8Array): LinkTokens {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "", "stepgate approval links", 32));
  const sign = (text: string) => createHmac("sha256", key).update(text).digest();
  return {
    make(workspaceId, approvalId) {
      const text = `${workspaceId}.${approvalId}`;
      return `${text}.${sign(text).toString("base64url")}`;
    },
    read(token) {
      const [workspace = "", approvalId = "", mac = ""] = token.split(".");
      const given = Buffer.from(mac, "base64url");
      const wanted = sign(`${workspace}.${approvalId}`);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
      return { workspaceId: Number(workspace), approvalId };
    },
  };
}

/**
 * Signed links (contract 7): a GET shows the request and changes nothing, however often mail scanners fetch it; a POST
 * of the page's form decides. What is resolved shows its final state, what expired answers 410. Links go to the channels
 * of the user of this machine, so they decide in this user's name.
 */
export function serveLinks(app: Hono<HttpEnv>, services: Services, tokens: LinkTokens, userId: string): void {
  const { store, world } = services;

  async function find(token: string): Promise<ApprovalRecord | null> {
    const place = tokens.read(token);
    return place && store.findApproval(place.workspaceId, place.approvalId);
  }

  function show(approval: ApprovalRecord | null): Response {
    if (!approval)
      return messagePage(404, "This link does not lead to a request", "It may have been cut. Ask for a new one.");
    const isOver = approval.status === "pending" && approval.expiresAt <= world.now().getTime();
    if (isOver || approval.status === "expired") {
      return messagePage(410, "This request has expired", "Nobody decided in time, so it was rejected automatically.");
    }
    return approvalPage(approval);
  }

  app.get("/approvals/:token", async ({ req }) => show(await find(req.param("token"))));
  app.post("/approvals/:token", async ({ req }) => {
    const approval = await find(req.param("token"));
    const form = new URLSearchParams(new TextDecoder().decode(await readBytes(req.raw, maxFormBytes)));
    const decision = readDecision(form.get("decision"));
    if (approval?.status !== "pending") return show(approval);
    if (decision === null)
      return messagePage(400, "Nothing was decided", "The form said neither approved nor rejected.");
    try {
      await decideApproval(services, {
        run: { id: approval.runId, workspaceId: approval.workspaceId },
        decision,
        approvalId: approval.id,
        comment: form.get("comment") || null,
        userId,
        via: "link",
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "FORBIDDEN") return messagePage(403, "This link can't approve it", error.message);
      // Somebody was faster: the page shows what became of it.
    }
    return show(await store.findApproval(approval.workspaceId, approval.id));
  });
}

function readDecision(text: string | null): Decision | null {
  return text === "approved" || text === "rejected" ? text : null;
}
