import type { Layer } from './layers.ts';

/** What holds where nobody says otherwise, as it would be written. */
const usual = {
  store: 'sqlite:.piton/piton.db',
  durability: 'full',
  lease: '30s',
  grace: '5s',
  'idle-timeout': '30m',
  checkpoint: { every: 'every-task', preserve: true },
  'on-damage': 'refuse',
  workspaces: { cleanup: 'remove-when-clean-else-archive' },
};

export const defaultLayer: Layer = {
  name: 'default',
  setting: { value: usual, path: [], placeOf: () => 'default' },
};
