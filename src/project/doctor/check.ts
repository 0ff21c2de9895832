/** One thing that the doctor has looked at. */
export interface DoctorCheck {
  /** What was looked at. */
  readonly name: string;
  /** `bad`: nothing can be run until it is mended. */
  readonly level: 'ok' | 'warn' | 'bad';
  /** What was found. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export function ok(name: string, text: string): DoctorCheck {
  return { name, level: 'ok', text };
}

export function warn(name: string, text: string, remedy: string): DoctorCheck {
  return { name, level: 'warn', text, remedy };
}

export function bad(name: string, text: string, remedy?: string): DoctorCheck {
  return { name, level: 'bad', text, ...(remedy !== undefined && { remedy }) };
}
