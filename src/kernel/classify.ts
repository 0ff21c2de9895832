import {
  readRetryMatch,
  type ErrorClass,
  type ErrorRule,
  type Evaluator,
  type Failure,
} from '../model/index.ts';

/** Patterns are looked for by others: see `Evaluator`. */
export type Finds = Evaluator['finds'];

/** What kind of failure it is: by the task's own rules first, then as the failure says itself, then by what is known in general. */
export function classify(failure: Failure, rules: readonly ErrorRule[], finds: Finds): ErrorClass {
  return rules.find((rule) => fits(rule, failure, finds))?.class ?? failure.class ?? classInGeneral(failure);
}

/** All that a rule asks for must be so. */
function fits({ exit, match }: ErrorRule, failure: Failure, finds: Finds): boolean {
  if (exit !== undefined && !(failure.exit !== undefined && exit.includes(failure.exit))) return false;
  return match === undefined || matches(match, failure, finds);
}

/** Whether a failure is meant by its code, or by a /pattern/ on its message. That every pattern is one was checked when the workflow was defined. */
export function matches(text: string, { code, message }: Failure, finds: Finds): boolean {
  const match = readRetryMatch(text);
  if ('pattern' in match) return finds(match.pattern, match.flags, message);
  return 'code' in match && match.code === code;
}

/** By sysexits(3) and the shell: not found, not executable, wrong usage, wrong configuration. */
const permanentExits: ReadonlySet<number> = new Set([64, 78, 126, 127]);
/** By sysexits(3): temporary failure, service unavailable. */
const transientExits: ReadonlySet<number> = new Set([69, 75]);
/** Wrong every time. */
const permanentCodes: ReadonlySet<string> = new Set([
  'EXPRESSION_FAILED',
  'FUNCTION_MISSING',
  'INPUT_INVALID',
  'NOT_SERIALISABLE',
  'OUTPUT_TOO_LARGE',
  'SECRET_MISSING',
]);
const networkCodes = /\b(?:ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|EPIPE|ENETUNREACH)\b/;
const networkWords =
  /\b(?:rate[ -]limit(?:s|ed|ing)?|too many requests|temporarily unavailable|overloaded|timed out)\b/i;
const httpStatus = /\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?)[ :=]*(?:429|502|503|504)\b/i;

function classInGeneral(failure: Failure): ErrorClass {
  const { code, message, exit } = failure;
  if (!failure.retryable || permanentCodes.has(code)) return 'permanent';
  if (exit !== undefined && permanentExits.has(exit)) return 'permanent';
  if (exit !== undefined && transientExits.has(exit)) return 'transient';
  // A task that took too long says nothing of what it waited for.
  if (code === 'TIMEOUT') return 'unknown';
  const isTransient = [networkCodes, networkWords, httpStatus].some((known) => known.test(message));
  return isTransient || networkCodes.test(code) ? 'transient' : 'unknown';
}
