import type { Checkpoint } from '../../../library/index.ts';
import type { RunAbout } from '../../../model/index.ts';
import { cleanLine, cleanText, whenText, type Style } from '../output/index.ts';

/** What is said of a run, and what limits it, as lines for people. */
export function aboutLines(
  { about, limits }: Pick<Checkpoint, 'about' | 'limits'>,
  { style, now }: { readonly style: Style; readonly now: number },
): string[] {
  const { name, group, note, metadata } = about ?? {};
  const labels = labelsText(about);
  const line = (what: string, text: string): string => `${style.dim(`${what}:`)} ${text}`;
  return [
    ...kinOf(about).map(([what, which]) => line(what, which)),
    ...(name === undefined ? [] : [line('name', cleanLine(name))]),
    ...(group === undefined ? [] : [line('group', cleanLine(group))]),
    ...(labels === '' ? [] : [line('labels', labels)]),
    ...(note === undefined ? [] : [line('note', indented(note))]),
    ...(metadata === undefined ? [] : [line('metadata', cleanLine(JSON.stringify(metadata)))]),
    ...(limits?.set ?? []).map(({ limit, to, at, by }) => {
      const who = by === undefined ? '' : ` by ${by.user}@${by.host}`;
      return line(limit, cleanLine(`${to}, set ${whenText(at, now)}${who}`));
    }),
  ];
}

function kinOf({ fork, supersededBy }: RunAbout = {}): [string, string][] {
  return [
    ...(fork === undefined ? [] : [['fork of', `${fork.run}@${fork.seq}`] as [string, string]]),
    ...(supersededBy === undefined ? [] : [['superseded by', supersededBy] as [string, string]]),
  ];
}

/** `team=web stage=test`. */
export function labelsText({ labels = {} }: RunAbout = {}): string {
  return cleanLine(
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  );
}

/** Its own lines must not pass for ours. */
function indented(note: string): string {
  return cleanText(note).trim().replaceAll('\n', '\n  ');
}
