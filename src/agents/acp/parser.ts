import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentParser, ParserContext } from '../contract.ts';
import { entryOf, textAt } from '../json-fields.ts';
import { ownReaders, type OwnReader } from '../own-stream.ts';
import { streamParser } from '../stream-parser.ts';

/** Reads what our client prints. */
export function acpParser(context: ParserContext): AgentParser {
  const turn = new Turn();
  const readers: Readonly<Record<string, OwnReader>> = {
    ...ownReaders,
    opened: (event) => turn.open(event),
    tool: (event) => turn.startTool(event),
    'tool-ended': (event) => turn.finishTool(event),
    ended: (event) => turn.end(ownReaders.ended(event)),
    failed: (event) => turn.end(ownReaders.failed(event, context)),
  };
  return streamParser(
    {
      read: (event) => entryOf(readers, event['event'])?.(event, context),
      // It may have begun without a word: not every agent tells.
      end: () => turn.inFlight,
    },
    context,
  );
}

/** What an agent tells more than once, or before it is so. */
class Turn {
  /** Announced, and not known to have begun. */
  readonly #pending = new Map<string, readonly AgentEvent[]>();
  readonly #begun = new Set<string>();
  #isOpen = false;
  #isOver = false;

  get inFlight(): readonly AgentEvent[] {
    return this.#isOver ? [] : [...this.#pending.values()].flat();
  }

  open(event: JsonObject): readonly AgentEvent[] {
    const opened = this.#isOpen ? [] : ownReaders.opened(event);
    if (opened.length > 0) this.#isOpen = true;
    return opened;
  }

  startTool(event: JsonObject): readonly AgentEvent[] {
    const id = textAt(event, 'id');
    const started = ownReaders.tool(event);
    if (id === undefined) return started;
    if (this.#begun.has(id)) return [];
    if (event['pending'] === true) {
      this.#pending.set(id, started);
      return [];
    }
    this.#pending.delete(id);
    this.#begun.add(id);
    return started;
  }

  finishTool(event: JsonObject): readonly AgentEvent[] {
    return this.#begun.has(textAt(event, 'id') ?? '') ? ownReaders['tool-ended'](event) : [];
  }

  end(events: readonly AgentEvent[]): readonly AgentEvent[] {
    this.#isOver = true;
    return events;
  }
}
