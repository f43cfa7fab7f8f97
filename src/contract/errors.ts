/** The closed list of error codes and their HTTP status (spec 7, contract 6). */
export const errorStatus = {
  INPUT_VALIDATION_FAILED: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  RUN_NOT_FOUND: 404,
  ACTION_NOT_FOUND: 404,
  WORKFLOW_NOT_FOUND: 404,
  VERSION_NOT_FOUND: 404,
  CONNECTOR_NOT_FOUND: 404,
  OPERATION_NOT_FOUND: 404,
  BUILD_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ACTION_UNAVAILABLE: 409,
  IDEMPOTENCY_CONFLICT: 409,
  CONFLICT: 409,
  SLUG_TAKEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  WORKFLOW_ENDED_WITHOUT_RESPONSE: 500,
  INTERNAL_ERROR: 500,
  OVERLOADED: 503,
  TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** The body of every error answer (spec 7). */
export type ErrorBody = { error: string; code: ErrorCode; details?: unknown[] };

/**
 * An error that a caller may see. Thrown anywhere below a transport, worded in one place there.
 * `retryAfterSeconds` becomes the header of that name.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, extra: { details?: unknown[]; retryAfterSeconds?: number } = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }

  get status(): number {
    return errorStatus[this.code];
  }

  body(): ErrorBody {
    return { error: this.message, code: this.code, ...(this.details ? { details: this.details } : {}) };
  }
}
