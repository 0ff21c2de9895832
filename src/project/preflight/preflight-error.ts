import { relative } from 'node:path';
import { PitonError, plural } from '../../base/index.ts';
import { describeProblem } from '../../definition/index.ts';
import type { Preflight, PreflightFinding } from './finding.ts';

/** So many are told in the message; `details.findings` holds them all. */
const mostShown = 50;

/** Undefined: nothing is in the way of a run. `directory`: where the reader is. */
export function preflightError(
  name: string,
  { findings }: Preflight,
  directory: string,
): PitonError | undefined {
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length === 0) return undefined;
  const shown = errors
    .slice(0, mostShown)
    .map((finding) => `\n  ${describeProblem(seenFrom(directory, finding))}`);
  const rest = errors.length > mostShown ? `\n  … and ${errors.length - mostShown} more` : '';
  const message = `Nothing was started: ${name} would fail, as ${plural(errors.length, 'thing')} it needs ${errors.length === 1 ? 'is' : 'are'} missing:${shown.join('')}${rest}`;
  return new PitonError('PREFLIGHT_FAILED', message, {
    findings,
    remedy: 'Put that right, or start it nevertheless with --force.',
  });
}

function seenFrom(directory: string, { file, ...finding }: PreflightFinding): PreflightFinding {
  return file === undefined ? finding : { ...finding, file: relative(directory, file) };
}
