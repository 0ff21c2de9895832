import { describeCost } from './cost.ts';

describeCost({ large: 20_000, many: 100_000 });
