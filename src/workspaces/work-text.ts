import { proseLineOf, proseOf } from '../base/index.ts';

/** What is told of the work of a task, as an agent said it: not to be trusted. */
export interface WorkText {
  /** The last words of its agent, or what its output calls the summary. */
  readonly summary?: string;
  /** Of the workflow: what the task was to do. */
  readonly purpose?: string;
}

const longestSubject = 72;
const longestBody = 4_000;

/** One line of 72 characters at most, as a person would begin a commit message. */
export function subjectOf(task: string, { summary = '', purpose = '' }: WorkText): string {
  const [said] = sentencesOf(summary);
  if (said !== undefined) return cutLine(proseLineOf(said));
  const [meant = ''] = purpose.trim().split(/(?<=[.!?])\s+/);
  return cutLine(proseLineOf(meant === '' ? task : `${task}: ${meant.replace(/[.:;,\s]+$/, '')}`));
}

/** All that was said, unless it is no more than the subject. */
export function detailsOf({ summary = '' }: WorkText): string | undefined {
  const [said, ...more] = sentencesOf(summary);
  if (said === undefined || (more.length === 0 && said.length <= longestSubject)) return undefined;
  return summary.length <= longestBody ? summary : `${summary.slice(0, longestBody)}\n\n[…]`;
}

/** The message of the commit that holds the work of a task, without its trailers. */
export function messageOf(task: string, text: WorkText): string {
  const details = detailsOf(text);
  const subject = subjectOf(task, text);
  return details === undefined ? subject : `${subject}\n\n${proseOf(details)}`;
}

export function mergeSubject(task: string, text: WorkText): string {
  return cutLine(`Merge ${subjectOf(task, text)}`);
}

/** Says nothing of what was done. */
const filler =
  /^(all |task |work |it(?:'s| is) )?(done|finished|complete[d]?|ok(ay)?|ready|success(ful(ly)?)?|sure|yes|great|perfect|summary|overview|changes|changes made|results?|report|implementation|what (i|was) (did|done|changed)|here(?:'s| is).*:?)[.!]*$/i;

/** Sentences and lines that say something, without what Markdown puts around them. */
function sentencesOf(text: string): string[] {
  // What is data was not written for people.
  if (/^\s*[[{]/.test(text)) return [];
  return text
    .replaceAll(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(^\1|$(?![\s\S]))/gm, '')
    .split('\n')
    .flatMap((line) =>
      line
        .replace(/^[\s>#*+•–-]+/, '')
        .replace(/^(?:(?:fixup|squash|amend)!\s*)+/i, '')
        .split(/(?<=[.!?])\s+/),
    )
    .map(plainSentence)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence) && !filler.test(sentence));
}

/** Without emphasis, `I have …`, and the point at its end; nor as Piton begins the messages of its snapshots. */
function plainSentence(text: string): string {
  const bare = text
    .replaceAll(/\*\*|__/g, '')
    .replace(/^I(?:'ve|’ve| have)?(?: just| now| successfully)? (?=\p{Ll})/u, '')
    .replace(/^(Snapshot): /i, '$1 – ')
    .replace(/[.:;,\s]+$/, '');
  return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}`;
}

/** At a word, if there is one to cut at. */
export function cutLine(text: string): string {
  if (text.length <= longestSubject) return text;
  const cut = text.slice(0, longestSubject - 1);
  const end = cut.lastIndexOf(' ');
  return `${(end > longestSubject / 2 ? cut.slice(0, end) : cut).replace(/[\s.,:;–-]+$/, '').toWellFormed()}…`;
}
