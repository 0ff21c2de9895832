/** Joins a path as it is written in a file to where that file is. Without the file system: both may be anywhere. */
export function resolvePath(from: string, path: string): string {
  if (path.startsWith('/')) return normalise(path);
  const folder = from.slice(0, from.lastIndexOf('/') + 1);
  return normalise(folder + path);
}

export function normalise(path: string): string {
  const root = path.startsWith('/') ? '/' : '';
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue;
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else steps.push(step);
  }
  return root + steps.join('/');
}
