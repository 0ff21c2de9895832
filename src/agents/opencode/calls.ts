import type { Json, JsonObject } from '../../base/index.ts';
import type { AgentEvent } from '../contract.ts';
import { showJson, textAt } from '../json-fields.ts';

/** A call as OpenCode itself tells it, after its end. */
interface Ended {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly isError: boolean;
  readonly output: string;
}

/**
 * The tool calls of a turn, each of which is told by our plugin when it begins and when it has succeeded, and by OpenCode
 * itself some time after it has ended.
 */
export class Calls {
  readonly #open = new Set<string>();
  readonly #ended = new Set<string>();
  #areTold = false;

  areTold(): readonly AgentEvent[] {
    this.#areTold = true;
    return [{ type: 'tool-starts', areShown: true }];
  }

  begin(event: JsonObject): readonly AgentEvent[] {
    const id = textAt(event, 'callID');
    if (id === undefined) return this.#areHidden();
    this.#open.add(id);
    const name = textAt(event, 'tool') ?? 'unknown';
    return [{ type: 'tool-started', id, name, input: event['input'] ?? {} }];
  }

  /** By an agent that was started in a call; if that has ended, the agent goes on by itself, and its calls are not known. */
  beginElsewhere(): readonly AgentEvent[] {
    return this.#open.size === 0 ? this.#areHidden() : [];
  }

  end(event: JsonObject): readonly AgentEvent[] {
    const id = textAt(event, 'callID') ?? '';
    if (!this.#open.has(id)) return [];
    return [this.#finish(id, { isError: false, output: showJson(event['output']) })];
  }

  tell({ id, name, input, isError, output }: Ended): readonly AgentEvent[] {
    if (this.#ended.has(id)) return [];
    if (this.#open.has(id)) return [this.#finish(id, { isError, output })];
    return [
      { type: 'tool-started', id, name, input },
      this.#finish(id, { isError, output }),
      // One that failed may never have begun.
      ...(isError ? [] : this.#areHidden()),
    ];
  }

  #finish(id: string, { isError, output }: Pick<Ended, 'isError' | 'output'>): AgentEvent {
    this.#open.delete(id);
    this.#ended.add(id);
    return { type: 'tool-finished', id, isError, output };
  }

  /** A call was made and not told: nor will others be. */
  #areHidden(): readonly AgentEvent[] {
    if (!this.#areTold) return [];
    this.#areTold = false;
    return [{ type: 'tool-starts', areShown: false }];
  }
}
