/** Whether a way from one path to another stays below it. What begins with two dots may be a name. */
export function isInside(way: string): boolean {
  return way !== '..' && !way.startsWith('../') && !way.startsWith('/');
}
