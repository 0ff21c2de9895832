import type { Binding } from './bindings.ts';

export interface Contained {
  readonly bindings: readonly Binding[];
  /** Where it begins. */
  readonly directory: string;
  /** What is at the places of temporary folders. */
  readonly temporary: string;
  readonly hasNetwork: boolean;
  readonly variables: Readonly<Record<string, string>>;
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

/**
 * Of the kernel: root may write there without any capability, since it owns them, and by `core_pattern` alone would have its
 * program run outside. Tried: bwrap itself leaves more than a thousand of them writable.
 */
const kernelFiles = [
  'sys',
  'sysrq-trigger',
  'irq',
  'bus',
  'acpi',
  'fs',
  'scsi',
  'driver',
  'asound',
  'mtrr',
  'pressure',
];

/** The words before the command line. */
export function bubblewrapArguments(contained: Contained): string[] {
  const { bindings, directory, temporary, hasNetwork, variables } = contained;
  const [root, ...inside] = bindings.map((binding) => mountOf(binding, temporary));
  return [
    ...isolation,
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...root!,
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...kernelFiles.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...inside.flat(),
    // At the end: until then, what lies in them has to be laid out.
    ...bindings.flatMap(({ path, as }) => (as === 'hidden' ? ['--remount-ro', path] : [])),
    '--chdir',
    directory,
    ...Object.entries({ ...variables, TMPDIR: '/tmp' }).flatMap(([name, value]) => ['--setenv', name, value]),
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
    case 'closed':
      return ['--ro-bind', '/dev/null', path];
  }
}
