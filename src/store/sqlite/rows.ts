import type { SQLOutputValue } from 'node:sqlite';
import { isPlainObject } from '../../base/index.ts';
import { Contradiction } from './faults.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Columns are read with suspicion: flipped bits on the disk can turn one type into another. */
export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : refuse(column, 'a text');
}

export function number(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : refuse(column, 'a number');
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

/** The object in a column of JSON, whose keys must be of the types given. */
export function record(
  json: string,
  column: string,
  shape: Readonly<Record<string, 'string' | 'number' | 'boolean'>>,
): Record<string, unknown> {
  const value = parsed(json);
  const fits =
    isPlainObject(value) && Object.entries(shape).every(([key, type]) => typeof value[key] === type);
  return fits ? value : refuse(column, `an object with ${Object.keys(shape).join(', ')}`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function refuse(column: string, expected: string): never {
  throw new Contradiction(`the column '${column}' does not hold ${expected}`);
}
