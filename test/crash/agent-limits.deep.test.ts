import { expect, test } from 'vitest';
import { killedAroundLimit } from './agent-limits.ts';

test.each(['before:task.delayed#1', 'after:attempt.started#2', 'spool:after-start#2'])(
  'a driver killed %s, around the wait for a limit: its agent goes on after it, and does nothing twice',
  async (place) => {
    const { lines, executions, sessions, how } = await killedAroundLimit(place);
    expect(lines).toContain('ended succeeded');
    expect(executions).toEqual({ look: 1, try: 1 });
    expect(sessions).toBe(1);
    expect(how).not.toContain('new');
  },
);
