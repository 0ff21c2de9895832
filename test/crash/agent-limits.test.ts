import { expect, test } from 'vitest';
import { killedAroundLimit } from './agent-limits.ts';

test.each(['after:task.delayed#1', 'before:attempt.ended#2'])(
  'a driver killed %s, around the wait for a limit: its agent goes on after it, and does nothing twice',
  async (place) => {
    const { lines, executions, sessions, how } = await killedAroundLimit(place);
    expect(lines).toContain('ended succeeded');
    expect(executions).toEqual({ look: 1, try: 1 });
    expect(sessions).toBe(1);
    expect(how).not.toContain('new');
  },
);
