import { describeCost } from './cost.ts';

describeCost({ large: 5_000, many: 20_000 });
