/**
 * A plugin that OpenCode loads, as text. Its own stream tells of a tool call when that has ended, and of a session when
 * the model has answered; this tells both on the same stream before anything follows from them. OpenCode waits for a hook
 * before it goes on, and the line is written before the hook returns: a call that could not be told is not made.
 *
 * A session is told when the model is about to be asked, since its prompt is kept by then. A file that is imported twice
 * must not tell twice, and whatever else it exports would be taken for another plugin.
 */
export const pluginText = `
import { writeFileSync } from 'node:fs';

const tell = (event) => writeFileSync(1, JSON.stringify(event) + '\\n');

export const Piton = async () => {
  let isOpen = false;
  tell({ type: 'piton_ready' });
  return {
    'chat.params': async ({ sessionID }) => {
      if (isOpen) return;
      isOpen = true;
      tell({ type: 'piton_session', sessionID });
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) =>
      tell({ type: 'piton_call', sessionID, callID, tool, input: args }),
    'tool.execute.after': async ({ sessionID, callID }, result) =>
      tell({ type: 'piton_called', sessionID, callID, output: result?.output }),
  };
};
`;
