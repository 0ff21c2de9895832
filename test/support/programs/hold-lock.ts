/** Holds the write lock of an SQLite file from `locked` until its input ends. */
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';

using database = new DatabaseSync(process.argv[2]!);
database.exec('BEGIN EXCLUSIVE');
console.log('locked');
process.stdin.resume();
await once(process.stdin, 'end');
database.exec('ROLLBACK');
