import type { Binding } from './bindings.ts';

export interface Contained {
  readonly bindings: readonly Binding[];
  /** Where it begins. */
  readonly directory: string;
  /** What is at the places of temporary folders. */
  readonly temporary: string;
  readonly hasNetwork: boolean;
}

/**
 * Without these it is no sandbox: as root, a process remounts what is read-only, and with user namespaces it becomes root of its
 * own. A namespace of processes of its own ends all of them with the first.
 */
export const isolation: readonly string[] = [
  '--unshare-user',
  '--disable-userns',
  '--unshare-pid',
  '--unshare-ipc',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
];

/** The words before the command line. */
export function bubblewrapArguments({ bindings, directory, temporary, hasNetwork }: Contained): string[] {
  const [root, ...inside] = bindings.map((binding) => mountOf(binding, temporary));
  return [
    ...isolation,
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...root!,
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...inside.flat(),
    // At the end: until then, what lies in them has to be laid out.
    ...bindings.flatMap(({ path, as }) => (as === 'hidden' ? ['--remount-ro', path] : [])),
    '--chdir',
    directory,
    '--setenv',
    'TMPDIR',
    '/tmp',
    '--',
    // A program that is not there ends as everywhere else, by 127; bwrap would end with 1.
    '/bin/sh',
    '-c',
    'exec "$@"',
    'sh',
  ];
}

function mountOf({ path, as }: Binding, temporary: string): string[] {
  switch (as) {
    case 'read':
      return ['--ro-bind', path, path];
    case 'write':
      return ['--bind', path, path];
    case 'own':
      return ['--bind', temporary, path];
    case 'hidden':
      return ['--tmpfs', path];
  }
}
