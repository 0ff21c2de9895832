import { statSync } from 'node:fs';
import type { StoreFigures } from '../contract.ts';
import { number, optionalNumber, text, type Row } from './rows.ts';
import type { Statements } from './statements.ts';

export function figuresOf(statements: Statements, file: string): StoreFigures {
  const row = statements.figures.get() as Row;
  const [oldestAt, newestAt] = [optionalNumber(row, 'oldest'), optionalNumber(row, 'newest')];
  const pageSize = number(statements.pageSize.get() as Row, 'page_size');
  return {
    format: number(statements.userVersion.get() as Row, 'user_version'),
    bytes: number(statements.pageCount.get() as Row, 'page_count') * pageSize,
    logBytes: sizeOf(`${file}-wal`),
    freeBytes: number(statements.freePageCount.get() as Row, 'freelist_count') * pageSize,
    runs: Object.fromEntries(
      statements.runsByStatus.all().map((found) => [text(found, 'status'), number(found, 'count')]),
    ),
    commits: number(row, 'commits'),
    blobs: number(row, 'blobs'),
    snapshots: number(row, 'snapshots'),
    quarantined: number(row, 'quarantined'),
    ...(oldestAt !== undefined && { oldestAt }),
    ...(newestAt !== undefined && { newestAt }),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
