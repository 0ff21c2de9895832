/** What a value of GitHub's is to an expression here. */
export type ValueType = 'bool' | 'text' | 'number' | 'list' | 'any';

export interface MatrixField {
  readonly type: ValueType;
  /** Only some combinations have it: `include` adds it to them. */
  readonly optional: boolean;
  /** As texts. */
  readonly values: readonly string[];
}

/** What the expressions of one job see. */
export interface JobScope {
  /** Undefined: the job has no matrix. */
  readonly matrix: ReadonlyMap<string, MatrixField> | undefined;
  readonly inputs: ReadonlyMap<string, ValueType>;
  /** By job, what is known of its outputs: the name of the only one, or none that could be translated. */
  readonly needs: ReadonlyMap<string, { readonly output: string | undefined }>;
  /** Variables whose value is known beforehand. */
  readonly env: ReadonlyMap<string, string>;
  /** An input that stands for a value that only GitHub knows. */
  foreign(path: readonly string[], type: ValueType): string;
}

/** It cannot be said here, or not in a way that is surely the same. */
export class Untranslatable extends Error {}
