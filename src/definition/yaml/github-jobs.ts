import { isPlainObject } from '../../base/index.ts';
import type { Finding } from '../problems.ts';
import type { SourceDocument } from './document.ts';
import { translateKey } from './github-keys.ts';

/** A file that says `jobs` means tasks: it is told so, and what is wrong inside of them is looked for all the same. */
export function readJobsAsTasks(document: SourceDocument): SourceDocument {
  const { value } = document;
  if (!isPlainObject(value) || value['tasks'] !== undefined || !isPlainObject(value['jobs'])) return document;
  const { jobs, ...rest } = value;
  const finding: Finding = {
    at: ['jobs'],
    onKey: true,
    message: 'There is no key `jobs` here.',
    remedy: translateKey('jobs', [], jobs)!,
  };
  return {
    ...document,
    value: { ...rest, tasks: jobs },
    findings: [...document.findings, finding],
    locate: ({ at, ...rest }) =>
      document.locate({ ...rest, at: at[0] === 'tasks' ? ['jobs', ...at.slice(1)] : at }),
  };
}
