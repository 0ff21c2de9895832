import { readWrapper } from '../../spool/index.ts';

/**
 * Ends as the process there has ended: without anybody to say how. The wrapper here would write down an exit code, and that would
 * be taken for the command's own; without it, the attempt is one that was interrupted, as it is.
 */
export function vanish(folder: string, attempt: string): never {
  const wrapper = readWrapper(folder, attempt);
  if (wrapper?.pid === process.ppid) process.kill(process.ppid, 'SIGKILL');
  process.kill(process.pid, 'SIGKILL');
  throw new Error('a process has outlived SIGKILL');
}
