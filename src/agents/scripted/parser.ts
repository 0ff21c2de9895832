import type { AgentParser, ParserContext } from '../contract.ts';
import { entryOf } from '../json-fields.ts';
import { ownReaders, type OwnReader } from '../own-stream.ts';
import { streamParser } from '../stream-parser.ts';

const readers: Readonly<Record<string, OwnReader>> = ownReaders;

export function scriptedParser(context: ParserContext): AgentParser {
  return streamParser({ read: (event) => entryOf(readers, event['event'])?.(event, context) }, context);
}
