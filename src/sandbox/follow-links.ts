import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

interface Followed {
  readonly real: string;
  /** Where each link on the way lies, without links. */
  readonly links: readonly string[];
}

const mostLinks = 40;

/** Undefined: it is not there, or cannot be seen. Mostly there is no link, which the system tells at once. */
function follow(path: string): Followed | undefined {
  try {
    return realpathSync.native(path) === path ? { real: path, links: [] } : walk(path);
  } catch {
    return undefined;
  }
}

function walk(path: string): Followed | undefined {
  const links: string[] = [];
  let at = '/';
  let rest = path.split('/');
  while (rest.length > 0) {
    const [part = '', ...further] = rest;
    rest = further;
    const next = join(at, part);
    const target = targetOf(next);
    if (target === undefined || links.length > mostLinks) return undefined;
    if (target === '') at = next;
    else {
      links.push(next);
      rest = [...target.split('/'), ...rest];
      if (target.startsWith('/')) at = '/';
    }
  }
  return { real: at, links };
}

/** '': it is no link. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : '';
  } catch {
    return undefined;
  }
}

/** Without links; what is not there is left out. */
export function realOf(...paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => follow(path)?.real ?? []))];
}

/**
 * The same, for what is to be laid out for a process. A link that lies where such a process may write may be of its making: laid
 * out is what the link leads to, so it would open to the next one whatever it chose. It counts only if it leads back into that folder.
 */
export function realBeside(writable: readonly string[]): (...paths: readonly string[]) => string[] {
  return (...paths) => {
    const found = paths.flatMap((path) => follow(path) ?? []);
    const ours = found.filter((one) => writable.every((folder) => staysIn(folder, one)));
    return [...new Set(ours.map(({ real }) => real))];
  };
}

function staysIn(folder: string, { real, links }: Followed): boolean {
  return isWithin(folder, real) || !links.some((link) => isWithin(folder, link));
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}
