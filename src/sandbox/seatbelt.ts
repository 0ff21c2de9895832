import type { Contained } from './bubblewrap.ts';

/**
 * For macOS, written from documentation and not tested. There are no mounts: paths stay where they are, so the temporary folder
 * has to be told by TMPDIR. The last rule that fits counts, as with mounts.
 */
export function seatbeltProfile({ bindings, temporary, hasNetwork }: Contained): string {
  const rules = bindings.flatMap(({ path, as }) => {
    const where = `(subpath ${JSON.stringify(as === 'own' ? temporary : path)})`;
    switch (as) {
      case 'read':
        return [`(allow file-read* ${where})`, `(deny file-write* ${where})`];
      case 'write':
      case 'own':
        return [`(allow file-read* file-write* ${where})`];
      case 'hidden':
      case 'closed':
        return [`(deny file-read* file-write* ${where})`];
    }
  });
  return [
    '(version 1)',
    '(allow default)',
    ...rules,
    '(allow file-write* (subpath "/dev"))',
    ...(hasNetwork ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))']),
  ].join('\n');
}
