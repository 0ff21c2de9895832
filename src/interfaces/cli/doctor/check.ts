/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'bad';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export function ok(name: string, text: string): Check {
  return { name, level: 'ok', text };
}

export function warn(name: string, text: string, remedy: string): Check {
  return { name, level: 'warn', text, remedy };
}

export function bad(name: string, text: string, remedy?: string): Check {
  return { name, level: 'bad', text, ...(remedy !== undefined && { remedy }) };
}
