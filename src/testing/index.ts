/** What is published as `piton/testing`: for those who write a store of their own, or test what depends on time. */
export { manualClock, type ManualClock } from '../base/index.ts';
export type { TestFramework } from './framework.ts';
export type { StoreUnderTest, TestPlace } from './store/world.ts';
export { testStore, type StoreSuite } from './test-store.ts';
