/** Every error Piton throws: a stable code, what happened, where, and what to do next. */
export class PitonError extends Error {
  readonly code: string;
  /** Facts for programs: run, task, file, line… */
  readonly details: Readonly<Record<string, unknown>>;
  /** One sentence for people: what to do next. */
  readonly remedy: string | undefined;

  constructor(code: string, message: string, given: ErrorDetails = {}) {
    const { cause, remedy, ...details } = given;
    super(
      remedy === undefined ? message : `${message} ${remedy}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'PitonError';
    this.code = code;
    this.details = Object.freeze(details);
    this.remedy = remedy;
  }
}

export interface ErrorDetails {
  readonly cause?: unknown;
  readonly remedy?: string;
  readonly [detail: string]: unknown;
}

export function hasCode(error: unknown, code: string): error is Error & { code: string } {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Whatever was thrown, as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
