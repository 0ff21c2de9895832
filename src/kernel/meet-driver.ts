import type { EventOf } from '../model/index.ts';
import type { RunState } from './run-state.ts';

/** Who drives the run from now on, and with which functions. */
export function meetDriver(state: RunState, { data }: EventOf<'lease.taken'>): void {
  const { process, functions = [] } = data;
  state.driver = process;
  if (functions.length === 0) return;
  const known = functions.map(({ name, source }) => [name, { source, at: state.at }] as const);
  state.functions = { ...state.functions, ...Object.fromEntries(known) };
}
