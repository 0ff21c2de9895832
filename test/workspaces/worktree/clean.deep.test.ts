import { describe } from 'vitest';
import { archives, cleansByPolicy } from './cleaning.ts';

describe('cleaning a place', () => {
  cleansByPolicy(['archive-on-failure', 'archive']);

  archives([
    'a changed file',
    'an ignored file',
    'something staged and taken back',
    'a repository of its own in a tracked folder',
  ]);
});
