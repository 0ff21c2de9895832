/** Exports taken apart and put together again, as somebody would who means harm. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tarHeader } from '../../src/engine/carrying/tar.ts';

export type Members = readonly (readonly [name: string, content: Buffer])[];

export function takeApart(file: string): Members {
  const bytes = readFileSync(file);
  const members: [string, Buffer][] = [];
  for (let at = 0; bytes[at] !== 0;) {
    const header = bytes.toString('latin1', at, at + 512);
    const size = Number.parseInt(header.slice(124, 135), 8);
    members.push([header.slice(0, header.indexOf('\0')), bytes.subarray(at + 512, at + 512 + size)]);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}

/** With the checksums that these members have, unless they bring their own. */
export function putTogether(file: string, members: Members): void {
  const others = members.filter(([name]) => name !== 'SHA256SUMS');
  const sums = others.map(([name, content]) => `${sha256(content)}  ${name}\n`).join('');
  writeFileSync(file, tarOf([...others, ['SHA256SUMS', Buffer.from(sums)]]));
}

export function tarOf(members: Members): Buffer {
  const blocks = members.flatMap(([name, content]) => [
    tarHeader({ name, size: content.length }, 0),
    content,
    Buffer.alloc((512 - (content.length % 512)) % 512),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The same members, one of them changed; absent: left out. */
export function changed(
  members: Members,
  name: string,
  change: (text: string) => string | undefined,
): Members {
  return members.flatMap(([each, content]) => {
    if (each !== name) return [[each, content]] as const;
    const text = change(content.toString('utf8'));
    return text === undefined ? [] : ([[each, Buffer.from(text)]] as const);
  });
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A journal in which one text stands for another, chained anew: as its author could have written it. */
export function rechained(members: Members, change: (body: string, seq: number) => string): Members {
  let previous = '0'.repeat(64);
  let seq = 0;
  const journal = changed(members, 'journal/000001.jsonl', (text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const body = change(/"commit":(.*)\}$/.exec(line)![1]!, ++seq);
        previous = sha256(previous + body);
        return `{"seq":${seq},"hash":"${previous}","commit":${body}}\n`;
      })
      .join(''),
  );
  return changed(journal, 'piton-export.json', (text) =>
    text.replace(/"hash": "[0-9a-f]+"/, `"hash": "${previous}"`),
  );
}
