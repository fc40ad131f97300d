import { expect } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { foldLog } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { controllerFactory } from '../apps/cli/src/up/controllers';
import type { ApiUnderTest } from './api-under-test.fixture';

/** Holds that `verify` accuses nobody of what a log tells, and leaves nothing of it unproven. */
export async function expectProven(log: EventLog): Promise<void> {
  const { findings, unproven } = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
  expect(findings.map(findingText)).toEqual([]);
  expect(unproven).toEqual([]);
}

/** Holds that the log of a server is proven, and that a fold of it has the same objects of a resource. */
export async function expectReplayed({ log, control }: ApiUnderTest, resource: string): Promise<void> {
  await expectProven(log);
  const { state } = control.runtime;
  const replayed = await foldLog(log, 'local', { until: state.position });
  const objects = (of: typeof state): string => JSON.stringify([...of.list(resource)]);
  expect(objects(replayed)).toBe(objects(state));
}
