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
  return error instanceof Error && errorField(error, 'code') === code;
}

/** Whatever was thrown, as an Error. Anything can be thrown, so this must not throw itself. */
export function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('something was thrown that cannot be shown as text');
  }
}

/** A field of an error, which may be a getter that throws: then it counts as absent. */
export function errorField(error: Error, field: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[field];
  } catch {
    return undefined;
  }
}

/** A field of an error as text, whatever its author put there; undefined if there is none that can be shown. */
export function errorText(error: Error, field: 'message' | 'name' | 'stack'): string | undefined {
  const value = errorField(error, field);
  if (value === undefined || typeof value === 'string') return value;
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return undefined;
  }
}

/** PitonError appends the remedy to its message, for those who print only that. */
export function messageOf(error: Error): string {
  const remedy = error instanceof PitonError ? error.remedy : undefined;
  const isAppended = remedy !== undefined && error.message.endsWith(` ${remedy}`);
  return isAppended ? error.message.slice(0, -remedy.length - 1) : error.message;
}
