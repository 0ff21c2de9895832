import { setImmediate } from 'node:timers/promises';
import type { Heads, Spool } from '../../src/spool/index.ts';

type Answer = (...given: never[]) => Promise<unknown>;

/**
 * A spool whose answers take their time, as those of another machine do: whoever asks finds the world changed when they come. `onAnswer` is
 * called right before each, with what was asked.
 */
export function lateSpool(spool: Spool, onAnswer: (question: string) => void = () => {}): Spool {
  const late = (of: object, name: string): Answer => {
    const method = (of as Record<string, Answer>)[name]!.bind(of);
    return async (...given) => {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      try {
        return await method(...given);
      } finally {
        for (let turn = 0; turn < 3; turn++) await setImmediate();
        onAnswer(name);
      }
    };
  };
  const of = (target: object, names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, late(target, name)]));
  const heads: object = {
    ...of(spool.heads, headQuestions),
    forget: spool.heads.forget.bind(spool.heads),
    fileOf: spool.heads.fileOf.bind(spool.heads),
  };
  return {
    ...of(spool, questions),
    heads: heads as Heads,
    follow: spool.follow.bind(spool),
    folderOf: spool.folderOf.bind(spool),
  } as Spool;
}

const questions = [
  'prepare',
  'start',
  'claim',
  'look',
  'ended',
  'fence',
  'noteStop',
  'stopNote',
  'hasTools',
  'sync',
  'readOutput',
  'readFrom',
  'readResult',
  'readInput',
  'silentMs',
  'lastOutputAt',
  'lastLine',
  'describe',
  'orders',
  'hasUnreadable',
  'list',
  'remove',
  'removeUnbegun',
] as const satisfies readonly (keyof Spool)[];

const headQuestions = [
  'raise',
  'replace',
  'remove',
  'notePruning',
  'forgetPruning',
  'isPruned',
  'isUnbegun',
  'read',
  'isDamaged',
  'isRecorded',
] as const satisfies readonly (keyof Heads)[];
